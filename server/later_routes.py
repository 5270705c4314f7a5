"""The routes that the first chart of a page does not need; importing them takes longer than a first answer may."""

from toposcope.server.api import alert_rules, alerts, questions
from toposcope.server.api.parameters import hparams, importance, layouts, lineage
from toposcope.server.api.payloads import audio, histograms, images, pr_curves, tensors, text
from toposcope.server.api.recorded import code, console, environment, files, undrawn
from toposcope.server.api.saved import links
from toposcope.server.api.series import scalar_groups
from toposcope.server.embeddings import routes as embeddings
from toposcope.server.graphs import routes as graphs
from toposcope.server.landscapes import routes as landscapes
from toposcope.server.landscapes.files import file_routes as landscape_files
from toposcope.server.meshes import routes as meshes
from toposcope.server.samples import routes as samples

ROUTERS = [
    module.router
    for module in (
        scalar_groups,
        alerts,
        alert_rules,
        histograms,
        images,
        audio,
        pr_curves,
        tensors,
        text,
        undrawn,
        embeddings,
        meshes,
        samples,
        graphs,
        lineage,
        hparams,
        importance,
        layouts,
        console,
        environment,
        code,
        files,
        questions,
        links,
        landscape_files,
        landscapes,
    )
]
