"""A Sphinx directive that prints what Doxygen found documented in a header.

    ```{header} warpline/pipeline.h
    ```

The types, functions and constants that have a `///` comment, each with its declaration and comment.
A header that Doxygen has read and no page prints is a warning, which ends the build. (Breathe was
tried: it cannot parse partial specialisations and constants that a lambda computes.)
"""

import glob
import os
import re
import textwrap
import xml.etree.ElementTree as ET

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.util import logging

log = logging.getLogger(__name__)
HIDDEN = re.compile(r"(^|::)\w+_detail(::|$)|^std(::|$)")
# Every user-facing function ends with this argument; the reference says so once.
WHERE = re.compile(r",?\s*SourceLine where\s*=\s*SourceLine::current\(\)")


def text_of(element):
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def inline(child):
    """A part of a paragraph that is no block."""
    text = "".join(child.itertext())
    if child.tag in ("ndash", "mdash"):
        return nodes.Text("\u2013")
    kind = {"computeroutput": nodes.literal, "emphasis": nodes.emphasis, "bold": nodes.strong}
    return kind[child.tag](text=text) if child.tag in kind else nodes.Text(text)


def code(text):
    block = nodes.literal_block(text, text)
    block["language"] = "cpp"
    return block


def tidy_block(text):
    text = textwrap.dedent(text).strip("\n")
    return nodes.literal_block(text, text, language="text")


def listing(element):
    lines = []
    for line in element.iter("codeline"):
        for blank in line.iter("sp"):
            blank.text = " "
        lines.append("".join(line.itertext()))
    text = textwrap.dedent("\n".join(lines))
    # Code has statements, a table has not.
    return code(text) if re.search(r"[;{]\s*(//.*)?$", text, re.MULTILINE) else tidy_block(text)


def bullets(element):
    items = nodes.bullet_list()
    for item in element.findall("listitem"):
        items += nodes.list_item("", *description(item))
    return items


BLOCKS = {
    "programlisting": listing,
    "verbatim": lambda element: tidy_block(element.text),
    "itemizedlist": bullets,
    "orderedlist": bullets,
}


def description(element):
    """The paragraphs of a comment, with the blocks in them where they stand."""
    for child in element if element is not None else ():
        if child.tag == "para":
            yield from paragraph(child)
        elif child.tag not in ("title", "internal"):
            yield from description(child)


def paragraph(para):
    content = [nodes.Text(para.text or "")]
    for child in para:
        if child.tag in BLOCKS:
            yield from flushed(content)
            content = []
            yield BLOCKS[child.tag](child)
        else:
            content.append(inline(child))
        content.append(nodes.Text(child.tail or ""))
    yield from flushed(content)


def flushed(content):
    if "".join(node.astext() for node in content).strip():
        yield nodes.paragraph("", "", *content)


def comment(element):
    return [*description(element.find("briefdescription")),
            *description(element.find("detaileddescription"))]


def words_of(element):
    return " ".join(node.astext() for node in comment(element))


def commented(element, line):
    """A line of code with its comment before it."""
    about = textwrap.wrap(words_of(element), 92, initial_indent="  /// ",
                          subsequent_indent="  /// ")
    return "".join(f"{text}\n" for text in [*about, f"  {line}"])


def template(element):
    parameters = element.find("templateparamlist")
    if parameters is None:
        return ""
    found = []
    for parameter in parameters.findall("param"):
        kind, name = text_of(parameter.find("type")), text_of(parameter.find("declname"))
        default = text_of(parameter.find("defval"))
        found.append(" ".join(filter(None, (kind, name))) + (f" = {default}" if default else ""))
    return "template <" + ", ".join(found) + ">\n"


def tidy(text):
    """Doxygen's blanks around < > & and *, as the sources have them."""
    if "operator" not in text:
        text = re.sub(r"\s*<\s*", "<", re.sub(r"\s+>", ">", text))
    text = re.sub(r"\s+(&&|&|\*)", r"\1", text)
    return re.sub(r"(?<=[\w>])(&&|&|\*)(?=\w)", r"\1 ", text).replace("( ", "(")


def declaration(member):
    kind, name = member.get("kind"), member.findtext("name")
    type_name = tidy(text_of(member.find("type")))
    if kind == "enum":
        values = member.findall("enumvalue")
        names = [value.findtext("name") for value in values]
        if len(values) < 7 and not any(map(words_of, values)):
            return f"enum class {name} {{ {', '.join(names)} }};"
        return (f"enum class {name} {{\n" +
                "".join(commented(value, value.findtext("name") + ",") for value in values) + "};")
    if kind == "typedef":
        return f"{template(member)}using {name} = {type_name};"
    if kind == "function":
        return (template(member) + " ".join(filter(None, (type_name, name))) +
                tidy(WHERE.sub("", member.findtext("argsstring") or "")) + ";")
    value = text_of(member.find("initializer"))
    shown = f" {value}" if value and "{" not in value.strip("{}") and len(value) < 60 else ""
    return (template(member) + f"{type_name} {name}" + (member.findtext("argsstring") or "") +
            shown + ";")


def is_shown(member):
    """What has a comment; the values of an enumeration say enough."""
    return (member.get("prot") == "public" and member.get("kind") != "friend"
            and not (member.findtext("name") or "").startswith("~")
            and (member.get("kind") == "enum" or bool(comment(member))))


def line_of(element):
    return int(element.find("location").get("line"))


class Reference:
    """Doxygen's output by header."""

    def __init__(self, folder):
        self.headers, self.items, self.compounds = {}, {}, {}
        for path in sorted(glob.glob(os.path.join(folder, "*.xml"))):
            if os.path.basename(path) in ("index.xml", "Doxyfile.xml"):
                continue
            for compound in ET.parse(path).getroot().findall("compounddef"):
                self.add(compound)

    def add(self, compound):
        kind, name = compound.get("kind"), compound.findtext("compoundname")
        if kind == "file":
            self.headers[header_name(compound)] = compound
        elif HIDDEN.search(name):
            return
        elif kind == "namespace":
            for member in compound.iter("memberdef"):
                if is_shown(member):
                    self.items.setdefault(header_name(member), []).append(member)
        elif kind in ("class", "struct", "concept"):
            self.items.setdefault(header_name(compound), []).append(compound)

    def nodes_of(self, header):
        yield from comment(self.headers[header])
        for item in sorted(self.items.get(header, []), key=line_of):
            if item.tag == "memberdef":
                yield entry(item, declaration(item))
            else:
                yield from compound_nodes(item)


def header_name(element):
    return re.sub(r"^.*?(warpline|simulator|matmul)/", r"\1/",
                  element.find("location").get("file"), count=1)


def entry(element, declared, *inside):
    return nodes.container("", code(declared), *comment(element), *inside, classes=["api"])


def compound_nodes(compound):
    kind, name = compound.get("kind"), compound.findtext("compoundname").replace("warpline::", "")
    if compound.get("prot") == "private":
        return
    if kind == "concept":
        if comment(compound):
            body = "".join(compound.find("initializer").itertext())
            yield entry(compound, tidy_concept(body))
        return
    members = [member for member in compound.iter("memberdef")
               if member.get("prot") == "public" and member.get("kind") != "friend"]
    fields = [member for member in members
              if member.get("kind") == "variable" and member.get("static") == "no"]
    shown = [member for member in members if is_shown(member)]
    base = (compound.findtext("basecompoundref") or "").replace("warpline::", "")
    if not comment(compound) and not shown and not base:
        return
    declared = f"{template(compound)}{kind} {tidy(name)}" + (f" : {tidy(base)}" if base else "")
    if kind == "struct" and fields:
        lines = (commented(field, declaration(field)) for field in fields)
        declared += " {\n" + "".join(lines) + "};"
        shown = [member for member in shown if member not in fields]
    else:
        declared += ";"
    yield entry(compound, declared, *(entry(member, declaration(member)) for member in shown))


def tidy_concept(text):
    lines = "\n".join(line.rstrip() for line in text.strip().split("\n"))
    return lines.replace("warpline::", "").replace("template<", "template <", 1)


class Header(Directive):
    required_arguments = 1

    def run(self):
        environment = self.state.document.settings.env
        reference = environment.app.warpline_reference
        header = self.arguments[0]
        if header not in reference.headers:
            raise self.error(f"Doxygen has read no header {header}")
        environment.app.warpline_printed.add(header)
        return list(reference.nodes_of(header))


def load(app):
    app.warpline_reference = Reference(app.config.warpline_doxygen)
    app.warpline_printed = set()


def report_missing(app, _):
    found = app.warpline_reference
    for header in sorted(set(found.headers) - app.warpline_printed):
        if list(found.nodes_of(header)):
            log.warning("the header %s is on no page of the reference", header)


def setup(app):
    app.add_config_value("warpline_doxygen", "", "env")
    app.add_directive("header", Header)
    app.connect("builder-inited", load)
    app.connect("env-updated", report_missing)
    return {"parallel_read_safe": False}
