# suite.py: bench/suite.c beside NumPy and JAX (where they are installed), on one core, in turns.
#
#     python3 bench/peers/suite.py ./suite [SIZE...]       small medium large (and extreme)
#
# Each peer does the LEGACY formulas in its best form here: NumPy in blocks that fit the cache, JAX
# compiled, both in float32 and complex64. A turn is one run of ours and of each peer; the table has
# the medians of the turns, in microseconds, and how often ours fits into the best peer.
import csv, os, subprocess, sys, time

os.sched_setaffinity(0, {0})
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
import numpy as np

try:
    import jax
    import jax.numpy as jnp
except ImportError:
    jax = None

SHAPES = {
    "field": {"small": (512, 10), "medium": (2048, 20), "large": (8192, 50),
              "extreme": (32768, 100)},
    "vortex": {"small": (512, 3), "medium": (2048, 5), "large": (8192, 10), "extreme": (32768, 20)},
    "mera": {"small": (32, 4), "medium": (64, 8), "large": (128, 16), "extreme": (256, 32)},
}
rng = np.random.default_rng(6)


def field(np, p, s):
    d = p[:, None, :] - s[None, :, :]
    r = np.maximum(np.sqrt((d * d).sum(-1)), np.float32(0.1))
    return (np.exp(1j * r.astype(np.complex64)) / r).sum(1)


def vortex(np, p, c, q):
    d = p[:, None, :] - c[None, :, :]
    r = np.sqrt((d * d).sum(-1))
    angle = (q * np.arctan2(d[..., 1], d[..., 0])).sum(1)
    return np.tanh(r / np.float32(0.1)).prod(1) * np.exp(1j * angle.astype(np.complex64))


def mera(np, t, u, w):
    v = t.reshape(u.shape[0], 1, -1)
    return ((v @ u) @ w)[:, 0]


def data(case, n, m):
    def normal(*shape):
        return rng.standard_normal(shape, np.float32)

    if case == "field":
        return normal(n, 3), np.float32(0.5) * normal(m, 3)
    if case == "vortex":
        charges = rng.integers(-2, 3, m).astype(np.float32)
        return normal(n, 3), np.float32(0.3) * normal(m, 3), charges
    k = 2 * m * m

    def both(*shape):
        return normal(*shape, 2).view(np.complex64)[..., 0]

    return both(n, m, m), both(n // 2, k, k), both(n // 2, k, 2 * m)


def blocks(function, rows, arrays):
    def run():
        return np.concatenate([function(np, arrays[0][i : i + rows], *arrays[1:])
                               for i in range(0, len(arrays[0]), rows)])

    return run


def median(run, least=5, seconds=0.3):
    run()
    took = []
    begin = time.perf_counter()
    while len(took) < least or time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        run()
        took.append(time.perf_counter() - start)
    return 1e6 * sorted(took)[len(took) // 2]


def ours(program, case, size):
    rows = csv.DictReader(subprocess.run([program, case, size], check=True, text=True,
                                         stdout=subprocess.PIPE).stdout.splitlines())
    return {"ours " + row["variant"]: float(row["median_us"]) for row in rows}


program, sizes = sys.argv[1], sys.argv[2:] or ["small", "medium", "large"]
print("NumPy", np.__version__, "JAX", jax.__version__ if jax else "not installed")
for case, function in (("field", field), ("vortex", vortex), ("mera", mera)):
    for size in sizes:
        n, m = SHAPES[case][size]
        arrays = data(case, n, m)
        peers = {}
        if case == "mera":
            peers["NumPy"] = lambda: function(np, *arrays)
        else:
            rows = min((64, 256, 1024), key=lambda k: median(blocks(function, k, arrays), 3, 0))
            peers["NumPy"] = blocks(function, rows, arrays)
        if jax:
            compiled = jax.jit(lambda *a, f=function: f(jnp, *a))
            there = [jax.device_put(a) for a in arrays]
            peers["JAX"] = lambda: compiled(*there).block_until_ready()
        turns = []
        for _ in range(3):
            turn = ours(program, case, size)
            turn.update((name, median(run)) for name, run in peers.items())
            turns.append(turn)
        line = {k: sorted(t[k] for t in turns)[1] for k in turns[0]}
        best = min(v for k, v in line.items() if not k.startswith("ours"))
        text = "  ".join(f"{k} {v:.1f}" for k, v in line.items())
        print(f"{case} {size}: {text}  best peer / ours legacy {best / line['ours legacy']:.2f}")
        sys.stdout.flush()
