"""Requests that wait as long as a busy machine takes; those of httpx give up after five seconds."""

from functools import partial

import httpx

from support.servers import SLOW_SECONDS

get = partial(httpx.get, timeout=SLOW_SECONDS)
put = partial(httpx.put, timeout=SLOW_SECONDS)
post = partial(httpx.post, timeout=SLOW_SECONDS)
client = partial(httpx.Client, timeout=SLOW_SECONDS)
