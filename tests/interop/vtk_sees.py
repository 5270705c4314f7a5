"""Opens files of landscapes with VTK's own readers and prints, as JSON, everything they see. Run by VTK's Python.

usage: python vtk_sees.py FILE.vti FILE.vtp ...

The JSON has one entry a file: {"points": [[x, y, z], ...], "arrays": {name: [number, ...]}, "active": their first,
"cells": [[kind of cell, [index of a point, ...]], ...] of poly data, "dimensions": [nx, ny, nz] of image data}.
"""

import json
import sys
from pathlib import Path
from typing import Any

from vtkmodules.vtkCommonCore import vtkCommand
from vtkmodules.vtkIOXML import vtkXMLImageDataReader, vtkXMLPolyDataReader

READERS = {".vti": vtkXMLImageDataReader, ".vtp": vtkXMLPolyDataReader}


def seen(path: str) -> dict[str, Any]:
    """Return what a reader sees of a file."""
    reader, complaints = READERS[Path(path).suffix](), []
    for event in (vtkCommand.ErrorEvent, vtkCommand.WarningEvent):
        reader.AddObserver(event, lambda _reader, event: complaints.append(event))
    reader.SetFileName(path)
    reader.Update()
    assert reader.CanReadFile(path)
    assert not complaints, complaints
    found = reader.GetOutput()
    of_points = found.GetPointData()
    arrays = [of_points.GetArray(at) for at in range(of_points.GetNumberOfArrays())]
    told = {
        "points": [found.GetPoint(at) for at in range(found.GetNumberOfPoints())],
        "arrays": {each.GetName(): [each.GetTuple1(at) for at in range(each.GetNumberOfTuples())] for each in arrays},
        "active": of_points.GetScalars().GetName(),
    }
    if path.endswith(".vti"):
        return {**told, "dimensions": found.GetDimensions()}
    return {**told, "cells": [cell_of(found.GetCell(at)) for at in range(found.GetNumberOfCells())]}


def cell_of(cell: Any) -> list[Any]:
    """Return what a cell is and the indices of its points, at once: VTK fills the next one into the same object."""
    return [cell.GetClassName(), [cell.GetPointId(at) for at in range(cell.GetNumberOfPoints())]]


if __name__ == "__main__":
    print(json.dumps([seen(path) for path in sys.argv[1:]]))
