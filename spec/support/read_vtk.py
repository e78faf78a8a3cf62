# Copyright (c) 2026 the delassus authors.
# SPDX-License-Identifier: MIT
"""What VTK reads in a .pvd file: a line a file with the time, points, cells and names of arrays, then a line a body with
its number, how often its surface's edges are open, the volume it encloses, the middle of its bounds, and its speed.
Fails where VTK has a word of complaint."""
import os
import sys
import xml.etree.ElementTree as xml

from vtkmodules.vtkCommonCore import vtkCommand
from vtkmodules.vtkFiltersCore import vtkCleanPolyData, vtkFeatureEdges, vtkMassProperties, vtkThreshold
from vtkmodules.vtkFiltersGeometry import vtkGeometryFilter
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader
from vtkmodules.vtkCommonDataModel import vtkDataObject

complaints = []


def read(path):
    reader = vtkXMLPolyDataReader()
    for event in (vtkCommand.ErrorEvent, vtkCommand.WarningEvent):
        reader.AddObserver(event, lambda *_: complaints.append(path))
    if not reader.CanReadFile(path):
        complaints.append(path)
    reader.SetFileName(path)
    reader.Update()
    return reader.GetOutput()


def body_of(surface, number):
    part = vtkThreshold()
    part.SetInputData(surface)
    part.SetInputArrayToProcess(0, 0, 0, vtkDataObject.FIELD_ASSOCIATION_CELLS, "body")
    part.SetLowerThreshold(number)
    part.SetUpperThreshold(number)
    faces, merged = vtkGeometryFilter(), vtkCleanPolyData()
    faces.SetInputConnection(part.GetOutputPort())
    merged.SetInputConnection(faces.GetOutputPort())
    merged.SetTolerance(1e-6)
    merged.Update()
    return merged.GetOutput()


def open_edges(surface):
    edges = vtkFeatureEdges()
    edges.SetInputData(surface)
    edges.FeatureEdgesOff()
    edges.ManifoldEdgesOff()
    edges.Update()
    return edges.GetOutput().GetNumberOfCells()


def volume(surface):
    mass = vtkMassProperties()
    mass.SetInputData(surface)
    mass.Update()
    return mass.GetVolume()


pvd = sys.argv[1]
for entry in xml.parse(pvd).getroot().iter("DataSet"):
    surface = read(os.path.join(os.path.dirname(pvd), entry.get("file")))
    cells = surface.GetCellData()
    names = [cells.GetArrayName(k).split(" ")[0] for k in range(cells.GetNumberOfArrays())]
    print("file", entry.get("timestep"), surface.GetNumberOfPoints(), surface.GetNumberOfCells(), ",".join(names))
    bodies, speeds = cells.GetArray("body"), cells.GetArray("speed (m/s)")
    count = surface.GetNumberOfCells()
    speed = {int(bodies.GetValue(k)): speeds.GetValue(k) if speeds else 0 for k in range(count)}
    for number in sorted(speed):
        part = body_of(surface, number)
        x = part.GetBounds()
        print("body", number, open_edges(part), volume(part), (x[0] + x[1]) / 2, (x[2] + x[3]) / 2, (x[4] + x[5]) / 2, speed[number])
sys.exit(1 if complaints else 0)
