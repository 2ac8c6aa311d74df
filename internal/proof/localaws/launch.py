"""Serve MiniStack on the listening socket inherited as descriptor 3.

The socket is opened by the parent, so no other process can take the port
between choosing and serving. Standard input is a pipe that only the parent
holds: when it closes, however the parent ended, this whole process group dies
and the directory given as first argument goes with it.
"""

import asyncio
import os
import shutil
import signal
import socket
import sys
import threading


def end_with_parent(directory):
    sys.stdin.buffer.read()
    shutil.rmtree(directory, ignore_errors=True)
    os.killpg(0, signal.SIGKILL)


def main():
    watch = threading.Thread(target=end_with_parent, args=(sys.argv[1],), daemon=True)
    watch.start()

    # Inherited by each accepted connection. Without it an answer, written in
    # two parts, waits some 40 ms for the client's delayed acknowledgement.
    listener = socket.socket(fileno=3)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    listener.detach()

    from hypercorn.asyncio import serve
    from hypercorn.config import Config
    from ministack.app import app

    config = Config()
    config.bind = ["fd://3"]
    config.keep_alive_timeout = 75
    config.loglevel = "WARNING"
    asyncio.run(serve(app, config))


main()
