"""The routes that the first chart of a page does not need; importing them takes longer than a first answer may."""

from toposcope.server.api import (
    alerts,
    audio,
    code,
    console,
    environment,
    files,
    histograms,
    hparams,
    images,
    importance,
    layouts,
    lineage,
    links,
    pr_curves,
    scalar_groups,
    tensors,
    text,
    undrawn,
)
from toposcope.server.embeddings import routes as embeddings
from toposcope.server.graphs import routes as graphs
from toposcope.server.landscapes import file_routes as landscape_files
from toposcope.server.landscapes import routes as landscapes
from toposcope.server.meshes import routes as meshes

ROUTERS = [
    module.router
    for module in (
        scalar_groups,
        alerts,
        histograms,
        images,
        audio,
        pr_curves,
        tensors,
        text,
        undrawn,
        embeddings,
        meshes,
        graphs,
        lineage,
        hparams,
        importance,
        layouts,
        console,
        environment,
        code,
        files,
        links,
        landscape_files,
        landscapes,
    )
]
