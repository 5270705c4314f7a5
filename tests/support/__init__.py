"""What tests of several folders build their inputs and servers with."""
