"""Restate: a workflow behind Restate's own server, whose data are in the folder; what it does to the world is `ctx.run`.

The first job on a folder starts server and service, and takes both with it when it is killed; a second one submits to them.
"""

import asyncio
import fcntl
import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import hypercorn.asyncio
import hypercorn.config
import restate
from restate import RunOptions

from receipts import job as command
from receipts import site

outreach = restate.Workflow("Outreach")


@outreach.main()
async def run(ctx: restate.WorkflowContext, request: dict[str, str]) -> str:
    person, variant = request["person"], request["variant"]
    text = await ctx.run_typed("write", site.ask_model, RunOptions(), request["text"])
    send = site.look_and_send if variant == "looks first" else site.send
    options = RunOptions(max_attempts=1) if variant == "max_attempts=1" else RunOptions()
    await ctx.run_typed("send", send, options, person, text)
    await ctx.run_typed("conclude", site.ask_model, RunOptions(), "What came of it?")
    return "done"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def ask(port: int, path: str, body: object = None, seconds: float = 60.0) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, {"Content-Type": "application/json"})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=seconds) as answer:
        return json.loads(answer.read() or b"null")


def ask_when_ready(port: int, path: str, body: object = None) -> Any:
    deadline = time.monotonic() + 40
    while True:
        try:
            return ask(port, path, body)
        except (ConnectionError, urllib.error.URLError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def serve_outreach(port: int) -> int:
    """The service in a process of its own; its id."""
    child = os.fork()
    if child == 0:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        config = hypercorn.config.Config()
        config.bind = [f"127.0.0.1:{port}"]
        config.errorlog = None
        asyncio.run(hypercorn.asyncio.serve(restate.app([outreach]), config))
        os._exit(0)
    return child


@contextmanager
def running(folder: Path) -> Iterator[int]:
    """The server's port for requests, of the one that is there or of a new one."""
    address = folder / "address.json"
    with ExitStack() as ends, (folder / "server.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            deadline = time.monotonic() + 20
            while not address.exists() and time.monotonic() < deadline:
                time.sleep(0.05)
            yield int(json.loads(address.read_text())["ingress"])
            return
        address.unlink(missing_ok=True)
        remembered = folder / "service.json"  # the server has this address in its data
        if not remembered.exists():
            remembered.write_text(json.dumps(free_port()))
        service = int(json.loads(remembered.read_text()))
        if not is_open(service):
            ends.callback(os.kill, serve_outreach(service), signal.SIGKILL)
        ingress, admin, node = free_port(), free_port(), free_port()
        surroundings = os.environ | {
            "RESTATE_INGRESS__BIND_ADDRESS": f"127.0.0.1:{ingress}",
            "RESTATE_ADMIN__BIND_ADDRESS": f"127.0.0.1:{admin}",
            "RESTATE_BIND_ADDRESS": f"127.0.0.1:{node}",
            "RESTATE_ADVERTISED_ADDRESS": f"http://127.0.0.1:{node}",
            "RESTATE_LISTEN_MODE": "tcp",
            "RESTATE_DEFAULT_NUM_PARTITIONS": "1",
            "RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE": "256MB",
            "RESTATE_DISABLE_TELEMETRY": "true",
        }
        program = [os.environ["RECEIPTS_RESTATE_SERVER"], "--node-name=receipts", f"--base-dir={folder / 'restate'}"]
        with (folder / "server.log").open("ab") as log:
            server = subprocess.Popen(program, env=surroundings, stdout=log, stderr=log, close_fds=True)
        ends.callback(server.kill)
        while not is_open(service):
            time.sleep(0.05)
        ask_when_ready(admin, "/deployments", {"uri": f"http://127.0.0.1:{service}", "force": True})
        address.write_text(json.dumps({"ingress": ingress}))
        yield ingress


def work(job: command.Job) -> None:
    request = {"person": job.person, "text": job.text, "variant": job.variant}
    with running(job.folder) as ingress:
        try:
            ask_when_ready(ingress, f"/Outreach/{job.workflow}/run/send", request)
        except urllib.error.HTTPError as error:
            if error.code != 409:  # it was submitted earlier, and is attached to
                raise
        ask(ingress, f"/restate/workflow/Outreach/{job.workflow}/attach")


command.run(work)
