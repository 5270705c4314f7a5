"""Graphs of OpenVINO's XML files as TensorBoard's GraphDef."""

import os
from xml.etree import ElementTree as ET

from toposcope.proto.tensorboard_pb2 import AttrValue, GraphDef, NodeDef
from toposcope.proto.wire import text_bytes


def openvino_graph(path: str | os.PathLike[str]) -> GraphDef:
    """Return the graph of an XML file of OpenVINO; nodes have the names of their layers.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is not a model of OpenVINO.
    """
    try:
        root = ET.parse(path).getroot()
    except ET.ParseError as error:
        raise ValueError(f"{os.fspath(path)!r} is not a model of OpenVINO: {error}") from None
    nodes: dict[str, NodeDef] = {}
    for layer in root.iterfind("layers/layer"):
        node = NodeDef(name=text_bytes(layer.get("name", "")), op=text_bytes(layer.get("type", "")))
        for data in layer.iterfind("data"):
            for name, value in data.attrib.items():
                node.attr.add(key=text_bytes(name), value=AttrValue(s=text_bytes(value)))
        nodes[layer.get("id", "")] = node
    if not nodes:
        raise ValueError(f"{os.fspath(path)!r} is not a model of OpenVINO: it has no layers.")
    for edge in root.iterfind("edges/edge"):
        source, target = nodes.get(edge.get("from-layer", "")), nodes.get(edge.get("to-layer", ""))
        if source is not None and target is not None:
            target.input.append(source.name)
    return GraphDef(node=nodes.values())
