"""JAX: functions of parameters, as far as loss landscapes need them."""
