"""The plot of the whole ladder: each version's speed as a part of the vendor library's."""

from svg import Svg

WIDTH, HEIGHT = 760, 340
LEFT, RIGHT, TOP, BOTTOM = 56, 16, 62, 52
BAR = 34
STEP = 0.2


def original_ratio(original, version):
    """Of the range that the original states, the middle."""
    tflops = original["tflops"][version]
    return sum(tflops) / len(tflops) / original["vendor_tflops"]


def plot(results, original):
    versions = results["versions"]
    ratios = [line["ratio"] for line in versions if line["ratio"] is not None]
    top = max([1.1, *ratios]) // STEP * STEP + STEP
    size = results["problem"]
    words = "; ".join(f"{line['version']} {line['ratio']:.2f}" for line in versions
                      if line["ratio"] is not None)
    svg = Svg(WIDTH, HEIGHT, "The ladder: speed of each version relative to cuBLAS",
              f"Bars for {results['gpu']}: {words}. Beside them the original's on "
              f"{original['gpu']}. A line marks 1, cuBLAS.")
    svg.text(16, 26, f"Speed relative to cuBLAS, {size['m']} x {size['n']} x {size['k']}, fp16",
             kind="title")

    def y_of(ratio):
        return HEIGHT - BOTTOM - ratio / top * (HEIGHT - TOP - BOTTOM)

    for i in range(int(top / STEP + 0.5) + 1):
        value = i * STEP
        svg.path("grid", [(LEFT, y_of(value)), (WIDTH - RIGHT, y_of(value))])
        svg.text(LEFT - 8, y_of(value) + 4, f"{value:.1f}", "end", "small")
    room = (WIDTH - LEFT - RIGHT) / len(versions)
    for i, line in enumerate(versions):
        middle = LEFT + (i + 0.5) * room
        for kind, x, ratio in (("ours", middle - BAR - 2, line["ratio"]),
                               ("theirs", middle + 2, original_ratio(original, line["version"]))):
            if ratio is None:
                svg.text(x + BAR / 2, y_of(0) - 6, "?", "middle", "small")
                continue
            svg.rectangle(kind, x, y_of(ratio), BAR, y_of(0) - y_of(ratio))
            svg.text(x + BAR / 2, y_of(ratio) - 5, f"{ratio:.2f}", "middle", "small")
        svg.text(middle, HEIGHT - BOTTOM + 18, line["version"], "middle")
    svg.path("vendor", [(LEFT, y_of(1)), (WIDTH - RIGHT, y_of(1))],
             ' stroke-width="1.5" stroke-dasharray="6 3"')
    legend(svg, results, original)
    return svg.written()


def legend(svg, results, original):
    x = LEFT
    for kind, words in (("ours", f"Warpline, {results['gpu']}"),
                        ("theirs", f"the original, {original['gpu']}")):
        svg.rectangle(kind, x, HEIGHT - 24, 12, 12)
        svg.text(x + 18, HEIGHT - 14, words, kind="small")
        x += 200
    svg.path("vendor", [(x, HEIGHT - 18), (x + 22, HEIGHT - 18)],
             ' stroke-width="1.5" stroke-dasharray="6 3"')
    svg.text(x + 28, HEIGHT - 14, "cuBLAS", kind="small")
