"""Where the workers of a sweep come from: processes of this machine, a Dask scheduler that runs, or jobs of Slurm. All of them are Dask
clusters, so that nothing else of the sweep knows which it is."""

import contextlib
import logging
import shutil
import signal
import subprocess
import tempfile

import distributed

from request import Refused

SECONDS_TO_CONNECT = 5
SILENT = logging.CRITICAL + 1  # what is lost is said by dispatch.py, in other words
# A Ctrl-C is sent to all processes of a terminal. What becomes of the workers is decided by the sweep, and without tracebacks.
DEAF = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"


def _local(engine):
    # A shard is a process beside the worker, whose memory Dask does not see; the harness limits its own.
    return distributed.LocalCluster(n_workers=engine.count, threads_per_worker=1, memory_limit=0, silence_logs=SILENT, preload=[DEAF])


def _slurm(engine, settings):
    if shutil.which("sbatch") is None:
        raise Refused("--engine slurm: there is no sbatch on the PATH: call it where jobs are submitted")
    handler = signal.getsignal(signal.SIGINT)
    from dask_jobqueue import SLURMCluster
    signal.signal(signal.SIGINT, handler)  # the import sets one that ends the program, with exit code 0

    cores = settings.get("cores", 1)
    named = {key: settings[key] for key in ("queue", "account", "walltime", "interface") if key in settings}
    try:
        cluster = SLURMCluster(cores=cores, processes=cores, memory=settings.get("memory", f"{4 * cores}GB"),
                               job_extra_directives=settings["directive"], silence_logs=SILENT, **named)
    except (OSError, RuntimeError, ValueError) as error:  # of a size or an interface that is none
        raise Refused(f"--slurm: {error}") from error
    try:
        _require_job(cluster.job_script())
    except Refused:
        cluster.close()
        raise
    cluster.scale(jobs=engine.count)
    return cluster


def _require_job(text):
    """A job that is refused after this would be waited for without end."""
    with tempfile.NamedTemporaryFile("w", suffix=".sh") as script:
        script.write(text)
        script.flush()
        tried = subprocess.run(["sbatch", "--test-only", script.name], capture_output=True, text=True)
    if tried.returncode != 0:
        raise Refused(f"--slurm: sbatch --test-only says: {tried.stderr.strip()}")


@contextlib.contextmanager
def connected(request):
    """A client of the engine's cluster. Workers and jobs that were started here end with it."""
    engine = request.engine
    logging.getLogger("distributed").setLevel(SILENT)
    with contextlib.ExitStack() as open_things:
        if engine.kind == "dask":
            try:
                target = distributed.Client(f"tcp://{engine.address}", timeout=SECONDS_TO_CONNECT, set_as_default=False)
            except (OSError, ValueError) as error:
                raise Refused(f"--engine dask://{engine.address}: no scheduler answers there: "
                              "start one with ./fmha950 sweep scheduler") from error
            client = open_things.enter_context(target)
            if not client.nthreads():
                raise Refused(f"--engine dask://{engine.address}: has no workers: start them with ./fmha950 sweep worker {engine.address}")
        else:
            cluster = open_things.enter_context(_local(engine) if engine.kind == "local" else _slurm(engine, request.slurm))
            client = open_things.enter_context(distributed.Client(cluster, set_as_default=False))
        yield client
