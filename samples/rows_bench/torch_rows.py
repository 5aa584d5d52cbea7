#!/usr/bin/env python3
"""PyTorch's kernels on the shapes of samples/rows_bench, with the same bytes and rotating memory.

    torch_rows.py rows.json [--json torch.json]

rows.json is what `samples/run rows_bench --json rows.json` has written on the same machine. Prints
the ratio of the times, eager and compiled, and their geometric means. A ratio above 1: Warpline is
faster."""
import argparse
import json
import math
import signal
import sys

import torch

L2_BYTES = 200 << 20


aten = torch.ops.aten


def randn(*shape):
    return torch.randn(shape, device="cuda", dtype=torch.bfloat16)


class Operation:
    """What runs eagerly, what is compiled, and the tensors that both take, besides weights."""

    def __init__(self, eager, compiled=None, inputs=None):
        self.eager = eager
        self.compiled = compiled or eager
        self.inputs = inputs or (lambda rows, columns: (randn(rows, columns),))


def two(rows, columns):
    return randn(rows, columns), randn(rows, columns)


def norms(rows, columns):
    """The statistics' values do not matter to the time."""
    return randn(rows, columns), randn(rows, columns), torch.ones(rows, 1, device="cuda")


def logits(rows, columns):
    x = randn(rows, columns)
    targets = torch.arange(rows, device="cuda") * 7919 % columns
    lse = torch.full((rows,), math.log(columns) + 0.5, device="cuda")
    return x, targets, lse, torch.ones_like(lse)


def operations(columns):
    weight = randn(columns)

    def softmax(x):
        return torch.softmax(x, -1)

    def rms_norm(x):
        return torch.nn.functional.rms_norm(x, (columns,), weight, 1e-5)

    def layer_norm(x):
        return torch.nn.functional.layer_norm(x, (columns,), weight, weight, 1e-5)

    def softmax_backward(y, dy):
        return aten._softmax_backward_data(dy, y, -1, y.dtype)

    def log_softmax_backward(y, dy):
        return aten._log_softmax_backward_data(dy, y, -1, y.dtype)

    def rms_norm_backward(h, dy, rstd):
        """dx and dweight: what compiling the forward pass' gradient comes to."""
        x = h.float() * rstd
        g = dy.float() * weight
        dx = rstd * (g - x * (g * x).mean(-1, keepdim=True))
        return dx.to(h.dtype), (dy.float() * x).sum(0).to(h.dtype)

    def layer_norm_backward(h, dy, rstd):
        return aten.native_layer_norm_backward(dy, h, (columns,), rstd, rstd, weight, weight,
                                               [True, True, True])

    def fused_rms_norm_backward(h, dy, rstd):
        return aten._fused_rms_norm_backward(dy, h, (columns,), rstd, weight, [True, True])

    def rms_norm_fp8(x):
        y = torch.nn.functional.rms_norm(x, (columns,), weight, 1e-5).float()
        scale = y.abs().amax(-1, keepdim=True) / 448
        return (y / scale).to(torch.float8_e4m3fn), scale

    def columns_sum(x):
        return x.sum(0)

    def cross_entropy(x, targets, lse, dloss):
        return torch.nn.functional.cross_entropy(x, targets, reduction="none")

    def cross_entropy_backward(log_p, targets, lse, dloss):
        """Of the logarithms that the forward pass has kept."""
        weight = torch.ones((), device="cuda", dtype=log_p.dtype)
        dy = aten.nll_loss_backward(dloss.to(log_p.dtype), log_p, targets, None, 0, -100, weight)
        return aten._log_softmax_backward_data(dy, log_p, -1, log_p.dtype)

    def cross_entropy_backward_from_lse(x, targets, lse, dloss):
        p = torch.exp(x.float() - lse[:, None])
        at_target = torch.arange(columns, device="cuda") == targets[:, None]
        return ((p - at_target.float()) * dloss[:, None]).to(x.dtype)

    return {"softmax": Operation(softmax),
            "rms_norm": Operation(rms_norm),
            "layer_norm": Operation(layer_norm),
            "rms_norm_backward": Operation(
                fused_rms_norm_backward if hasattr(aten, "_fused_rms_norm_backward")
                else rms_norm_backward, rms_norm_backward, norms),
            "layer_norm_backward": Operation(layer_norm_backward, inputs=norms),
            "rms_norm_fp8": Operation(rms_norm_fp8),
            "columns": Operation(columns_sum),
            "softmax_backward": Operation(softmax_backward, inputs=two),
            "log_softmax_backward": Operation(log_softmax_backward, inputs=two),
            "cross_entropy": Operation(cross_entropy, inputs=logits),
            "cross_entropy_backward": Operation(cross_entropy_backward,
                                                cross_entropy_backward_from_lse, logits)}


def microseconds(function, inputs, rounds=7, milliseconds=2.0):
    for tensors in inputs[:2]:
        function(*tensors)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    times = []
    # One graph of a launch for each input; its outputs are kept by the graph's memory pool.
    with torch.cuda.graph(graph):
        outputs = [function(*tensors) for tensors in inputs]
    graph.replay()
    torch.cuda.synchronize()
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    graph.replay()
    end.record()
    torch.cuda.synchronize()
    once = max(begin.elapsed_time(end), 1e-3)
    replays = max(1, math.ceil(milliseconds / once))
    for _ in range(rounds):
        begin.record()
        for _ in range(replays):
            graph.replay()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) * 1000 / replays / len(inputs))
    del outputs
    return sorted(times)[len(times) // 2]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    with open(arguments.rows) as file:
        rows = [line for line in json.load(file) if "rows" in line]
    logs = {}
    # Compiling takes a while: who ends it early gets the summary of what there is.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(summarize(logs)))
    compare(rows, logs, arguments.json)
    return summarize(logs)


def summarize(logs):
    for (operation, how), values in logs.items():
        mean = math.exp(sum(values) / len(values))
        print(f"{operation:<22} against {how}: geometric mean {mean:.3f}, "
              f"least {math.exp(min(values)):.3f} of {len(values)} shapes", flush=True)
    return 0


def compare(rows, logs, json_path):
    results = []
    for line in rows:
        shape = (line["rows"], line["columns"])
        sets = max(2, L2_BYTES // (4 * shape[0] * shape[1]) + 1)
        operation = operations(shape[1]).get(line["operation"])
        if operation is None:
            continue
        inputs = [operation.inputs(*shape) for _ in range(sets)]
        torch._dynamo.reset()
        times = {"eager": microseconds(operation.eager, inputs),
                 "compiled": microseconds(torch.compile(operation.compiled, dynamic=False),
                                          inputs)}
        ratios = {how: time / line["microseconds"] for how, time in times.items()}
        for how, ratio in ratios.items():
            logs.setdefault((line["operation"], how), []).append(math.log(ratio))
        results.append({**line, "torch": times, "ratios": ratios})
        theirs = "   ".join(f"{how} {times[how]:9.2f} us, ratio {ratios[how]:5.2f}"
                            for how in times)
        print(f"{line['operation']:<22} {shape[0]:>8} x {shape[1]:<7} "
              f"ours {line['microseconds']:9.2f} us   {theirs}", flush=True)
        if json_path:
            with open(json_path, "w") as file:
                json.dump(results, file, indent=1)
        del inputs
        torch.cuda.empty_cache()


if __name__ == "__main__":
    sys.exit(main())
