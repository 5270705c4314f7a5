"""Readers of graphs: MindSpore's, GraphDef and Keras."""
