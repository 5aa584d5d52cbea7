"""A few SVG elements. The picture has its own background, light or dark as the reader's system is,
so that it can be read wherever it is shown.
"""

from xml.sax.saxutils import escape

STYLE = """
  text { font: 13px sans-serif; fill: #24292f; }
  text.small { font-size: 11px; }
  text.title { font-size: 15px; font-weight: bold; }
  .page { fill: #ffffff; stroke: #d0d7de; }
  .line { stroke: #8c959f; fill: none; }
  .grid { stroke: #d0d7de; fill: none; }
  .lane { fill: #f6f8fa; }
  .stage0 { fill: #9ecbff; } .stage1 { fill: #a7e3b4; } .stage2 { fill: #ffd9a0; }
  .wait { fill: #ffffff; stroke: #8c959f; stroke-dasharray: 3 2; }
  .work { fill: #d0d7de; }
  .full { stroke: #0969da; fill: none; } .full-head { fill: #0969da; }
  .empty { stroke: #bc4c00; fill: none; } .empty-head { fill: #bc4c00; }
  .ours { fill: #0969da; } .theirs { fill: #d8a24a; } .vendor { stroke: #57606a; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .page { fill: #0d1117; stroke: #3d444d; }
    .line { stroke: #7d8590; }
    .grid { stroke: #30363d; }
    .lane { fill: #161b22; }
    .stage0 { fill: #1f4f8f; } .stage1 { fill: #23693a; } .stage2 { fill: #7d4e13; }
    .wait { fill: #0d1117; stroke: #7d8590; }
    .work { fill: #3d444d; }
    .full { stroke: #58a6ff; } .full-head { fill: #58a6ff; }
    .empty { stroke: #f0883e; } .empty-head { fill: #f0883e; }
    .ours { fill: #4493f8; } .theirs { fill: #9e6a03; } .vendor { stroke: #9198a1; }
  }
"""


def number(value):
    """The same digits on every machine."""
    return f"{value:.1f}".removesuffix(".0")


class Svg:
    def __init__(self, width, height, title, description):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img" aria-labelledby="title desc">',
            f'<title id="title">{escape(title)}</title>',
            f'<desc id="desc">{escape(description)}</desc>',
            f"<style>{STYLE}</style>",
        ]
        self.rectangle("page", 0.5, 0.5, width - 1, height - 1, 6)

    def rectangle(self, kind, x, y, width, height, radius=2):
        self.parts.append(f'<rect class="{kind}" x="{number(x)}" y="{number(y)}" '
                          f'width="{number(width)}" height="{number(height)}" rx="{radius}"/>')

    def text(self, x, y, text, anchor="start", kind=""):
        named = f' class="{kind}"' if kind else ""
        self.parts.append(f'<text{named} x="{number(x)}" y="{number(y)}" '
                          f'text-anchor="{anchor}">{escape(text)}</text>')

    def path(self, kind, points, more=""):
        line = " L ".join(f"{number(x)} {number(y)}" for x, y in points)
        self.parts.append(f'<path class="{kind}" d="M {line}"{more}/>')

    def arrow(self, kind, start, end):
        """A line to `end`, which it reaches from above or from below."""
        self.path(kind, [start, end], ' stroke-width="1.5"')
        x, y = end
        back = y - 6 if end[1] > start[1] else y + 6
        self.path(f"{kind}-head", [(x, y), (x - 3.5, back), (x + 3.5, back), (x, y)])

    def written(self):
        return "\n".join([*self.parts, "</svg>"]) + "\n"
