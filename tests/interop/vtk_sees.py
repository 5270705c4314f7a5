"""Reads landscape files with the readers of VTK and prints everything as JSON. Run by the Python with VTK.

usage: python vtk_sees.py FILE.vti FILE.vtp ...

The JSON has one entry for each file: {"points": [[x, y, z], ...], "arrays": {name: [number, ...]}, "active": name of an
array, "cells": [[type of cell, [index of a point, ...]], ...] of poly data, "dimensions": [nx, ny, nz] of image data}.
"""

import json
import sys
from pathlib import Path
from typing import Any

from vtkmodules.vtkCommonCore import vtkCommand
from vtkmodules.vtkIOXML import vtkXMLImageDataReader, vtkXMLPolyDataReader

READERS = {".vti": vtkXMLImageDataReader, ".vtp": vtkXMLPolyDataReader}


def read_file(path: str) -> dict[str, Any]:
    """Return what VTK reads of a file."""
    reader, errors = READERS[Path(path).suffix](), []
    for event in (vtkCommand.ErrorEvent, vtkCommand.WarningEvent):
        reader.AddObserver(event, lambda _reader, event: errors.append(event))
    reader.SetFileName(path)
    reader.Update()
    assert reader.CanReadFile(path)
    assert not errors, errors
    data_set = reader.GetOutput()
    point_data = data_set.GetPointData()
    arrays = [point_data.GetArray(at) for at in range(point_data.GetNumberOfArrays())]
    properties = {
        "points": [data_set.GetPoint(at) for at in range(data_set.GetNumberOfPoints())],
        "arrays": {each.GetName(): [each.GetTuple1(at) for at in range(each.GetNumberOfTuples())] for each in arrays},
        "active": point_data.GetScalars().GetName(),
    }
    if path.endswith(".vti"):
        return {**properties, "dimensions": data_set.GetDimensions()}
    return {**properties, "cells": [cell_of(data_set.GetCell(at)) for at in range(data_set.GetNumberOfCells())]}


def cell_of(cell: Any) -> list[Any]:
    """Return the type of a cell and the indices of its points; VTK reuses the object for the next cell."""
    return [cell.GetClassName(), [cell.GetPointId(at) for at in range(cell.GetNumberOfPoints())]]


if __name__ == "__main__":
    print(json.dumps([read_file(path) for path in sys.argv[1:]]))
