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


def functions(columns):
    weight = torch.randn(columns, device="cuda", dtype=torch.bfloat16)

    def softmax(x):
        return torch.softmax(x, -1)

    def rms_norm(x):
        return torch.nn.functional.rms_norm(x, (columns,), weight, 1e-5)

    def layer_norm(x):
        return torch.nn.functional.layer_norm(x, (columns,), weight, weight, 1e-5)

    return {"softmax": softmax, "rms_norm": rms_norm, "layer_norm": layer_norm}


def microseconds(function, inputs, rounds=7, milliseconds=2.0):
    for x in inputs[:2]:
        function(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    times = []
    # One graph of a launch for each input; its outputs are kept by the graph's memory pool.
    with torch.cuda.graph(graph):
        outputs = [function(x) for x in inputs]
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
        print(f"{operation:<11} against {how}: geometric mean {mean:.3f}, "
              f"least {math.exp(min(values)):.3f} of {len(values)} shapes", flush=True)
    return 0


def compare(rows, logs, json_path):
    results = []
    for line in rows:
        shape = (line["rows"], line["columns"])
        sets = max(2, L2_BYTES // (4 * shape[0] * shape[1]) + 1)
        inputs = [torch.randn(shape, device="cuda", dtype=torch.bfloat16) for _ in range(sets)]
        function = functions(shape[1]).get(line["operation"])
        if function is None:
            continue
        torch._dynamo.reset()
        times = {"eager": microseconds(function, inputs),
                 "compiled": microseconds(torch.compile(function, dynamic=False), inputs)}
        ratios = {how: time / line["microseconds"] for how, time in times.items()}
        for how, ratio in ratios.items():
            logs.setdefault((line["operation"], how), []).append(math.log(ratio))
        results.append({**line, "torch": times, "ratios": ratios})
        theirs = "   ".join(f"{how} {times[how]:9.2f} us, ratio {ratios[how]:5.2f}"
                            for how in times)
        print(f"{line['operation']:<11} {shape[0]:>8} x {shape[1]:<7} "
              f"ours {line['microseconds']:9.2f} us   {theirs}", flush=True)
        if json_path:
            with open(json_path, "w") as file:
                json.dump(results, file, indent=1)
        del inputs
        torch.cuda.empty_cache()


if __name__ == "__main__":
    sys.exit(main())
