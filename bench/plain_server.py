"""What `start` and `memory` are measured against: Flask on gevent, and no program in it."""

from __future__ import annotations

import sys

from gevent import monkey

monkey.patch_all(queue=False)

from flask import Flask  # noqa: E402
from gevent import pywsgi  # noqa: E402

app = Flask(__name__)


@app.get("/healthz")
def healthz() -> dict[str, bool]:
    """Answer."""
    return {"ok": True}


if __name__ == "__main__":
    pywsgi.WSGIServer(("127.0.0.1", int(sys.argv[1])), app, log=None).serve_forever()
