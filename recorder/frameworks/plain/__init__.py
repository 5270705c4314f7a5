"""Networks without a framework: objects with the methods of TrainableNetwork."""
