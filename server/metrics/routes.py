"""GET /healthz, whether the server answers, and GET /metrics, its figures for Prometheus."""

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse, Response

from toposcope.server.api.health import warnings_of
from toposcope.server.api.requests.snapshot import Current, logdir_of

router = APIRouter()
LIVENESS, METRICS = "/healthz", "/metrics"


@router.get(LIVENESS, response_class=PlainTextResponse)
async def liveness() -> PlainTextResponse:
    """Reply "ok" if the server answers requests; needs no token, and says nothing about runs.

    It does not wait for the loader, for disks or for other requests.
    """
    return PlainTextResponse("ok\n", headers={"Cache-Control": "no-store"})


@router.get(METRICS, response_class=PlainTextResponse)
def metrics(request: Request, current: Current) -> Response:
    """Return figures of the server in the text format of Prometheus: see Server.

    With `--workers` they are those of all processes, each with its label `process`, as of two seconds ago at most.
    """
    from toposcope.server.metrics.families import MEDIA_TYPE, metrics_text

    warnings = [warning.kind for warning in warnings_of(request)]
    content = metrics_text(current, logdir_of(request).reports(), warnings)
    return Response(content, media_type=MEDIA_TYPE, headers={"Cache-Control": "no-store"})
