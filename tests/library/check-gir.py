# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads the GIR for what a binding would get wrong: directions, lengths, nullability, ownership, what is left out.

Usage: check-gir.py GIR
"""
import collections
import re
import sys
import xml.etree.ElementTree as ElementTree

CORE = "{http://www.gtk.org/introspection/core/1.0}"
C = "{http://www.gtk.org/introspection/c/1.0}"
CALLABLES = ("function", "method", "constructor", "virtual-method", "callback")
SCALARS = set(
    "gboolean gint guint gint8 guint8 gint16 guint16 gint32 guint32 gint64 guint64 gsize gssize gfloat gdouble float "
    "double int GType SwDType SwError SwValueKind".split()
)
# Who counts references is the binding.
REFERENCES = re.compile(r"sw_\w+_(ref|unref)$")
# Left out on purpose: what only C can use.
NOT_FOR_BINDINGS = {
    "sw_cpu_new_for_memory",  # a destroy function, which the CPU calls in any thread: custom in Vala, NumPy's in Python
    # Plain memory, which the columns own: in the vapi. Python and GJS have arrays over it, made of get_address () or bytes.
    "sw_profiler_columns_get_doubles",
    "sw_profiler_columns_get_int32s",
    "sw_profiler_columns_get_int64s",
}


class Reader:
    def __init__(self, root):
        self.problems = []
        self.counts = collections.Counter()
        self.parents = {child: parent for parent in root.iter() for child in parent}

    def complain(self, node, text):
        self.problems.append(f"{self.path(node)}: {text}")

    def path(self, node):
        names = []
        while node is not None:
            if node.get("name"):
                names.append(node.get("name"))
            node = self.parents.get(node)
        return ".".join(reversed(names))

    def doc(self, node):
        found = node.find(f"{CORE}doc")
        return "" if found is None else re.sub(r"\s+", " ", found.text or "")

    def callable(self, node):
        self.counts[node.tag.removeprefix(CORE)] += 1
        identifier = node.get(f"{C}identifier", "")
        if node.get("introspectable") == "0" and identifier not in NOT_FOR_BINDINGS:
            self.complain(node, "no binding can call it")
        if not self.doc(node) and not node.tag.endswith("virtual-method"):
            self.complain(node, "has no documentation")
        for parameter in node.iterfind(f"{CORE}parameters/{CORE}parameter"):
            self.parameter(node, parameter)
        returned = node.find(f"{CORE}return-value")
        if returned is not None:
            self.returned(node, returned)

    def array(self, node, array, owner):
        self.counts["array"] += 1
        is_strings = re.search(r"char ?\* ?(const ?)?\*$", array.get(f"{C}type", ""))
        is_terminated = array.get("zero-terminated", "1") == "1" and is_strings
        if array.get("length") is None and not is_terminated and array.get("name") is None:
            self.complain(node, "is an array of unknown length")
        if array.get("length") is not None:
            parameters = owner.findall(f"{CORE}parameters/{CORE}parameter")
            length = parameters[int(array.get("length"))]
            is_number = length.find(f"{CORE}type").get("name") in ("gsize", "guint", "gint64", "gint")
            if not is_number:
                self.complain(node, f"has {length.get('name')} for its length")
        if array.get("name") in ("GLib.PtrArray", "GLib.List") and array.find(f"{CORE}type") is None:
            self.complain(node, "does not say what its elements are")

    def parameter(self, owner, node):
        self.counts["parameter"] += 1
        array, kind = node.find(f"{CORE}array"), node.find(f"{CORE}type")
        direction = node.get("direction", "in")
        says_null = re.search(r"%NULL|or nothing|\bNULL\b", self.doc(node))
        if array is not None:
            self.array(node, array, owner)
        elif kind is not None and direction == "in":
            c_type = kind.get(f"{C}type", "")
            if c_type.endswith("*") and c_type.rstrip("*").removeprefix("const ").strip() in SCALARS:
                self.complain(node, f"points to a {kind.get('name')}, but is neither out nor inout")
            if kind.get("name") == "gpointer" and not self.is_user_data(owner, node):
                self.complain(node, "is a bare pointer")
        if says_null and node.get("nullable") != "1" and node.get("optional") != "1":
            self.complain(node, "may be NULL by its documentation, but is not nullable")
        # An array without elements is NULL by itself, and what belongs to a closure the binding knows.
        is_plain = kind is not None and kind.get("name") not in ("gpointer", "GLib.DestroyNotify")
        if node.get("nullable") == "1" and not says_null and is_plain:
            self.complain(node, "is nullable, and its documentation does not say what NULL means")
        if direction != "in":
            self.counts["out"] += 1
        if node.find(f"{CORE}type") is not None and node.get("scope") is None and self.is_callback(node):
            self.complain(node, "is a callback without a scope")

    def is_callback(self, node):
        return node.find(f"{CORE}type").get("name", "").endswith("Func")

    def is_user_data(self, owner, node):
        parameters = owner.findall(f"{CORE}parameters/{CORE}parameter")
        places = {parameter.get("closure") for parameter in parameters} | {parameter.get("destroy") for parameter in parameters}
        return str(parameters.index(node)) in places or owner.tag.endswith("callback")

    def returned(self, owner, node):
        array, kind = node.find(f"{CORE}array"), node.find(f"{CORE}type")
        if array is not None:
            self.array(node, array, owner)
        c_type = "" if kind is None else kind.get(f"{C}type", "")
        if kind is not None and c_type.endswith("*") and c_type.removeprefix("const ").rstrip("*") in SCALARS:
            self.complain(owner, "returns a pointer to a number, and no array")
        name = owner.get("name")
        transfer = node.get("transfer-ownership")
        is_pointer = array is not None or c_type.endswith("*")
        if is_pointer and transfer is None:
            self.complain(owner, "does not say who owns what it returns")
        # A GPtrArray frees its elements itself.
        expected = "container" if array is not None and array.get("name") == "GLib.PtrArray" else "full"
        is_const = c_type.startswith("const ")
        if is_pointer and re.match(r"(dup|new|ref|to_string)", name) and not is_const and transfer != expected:
            self.complain(owner, f"gives {transfer}, but by its name a value of the caller's own")
        if is_pointer and is_const and transfer != "none":
            self.complain(owner, "gives away what is const")
        self.nullable_return(owner, node, is_pointer)

    def nullable_return(self, owner, node, is_pointer):
        # With an error, NULL is not a value.
        says_null = re.search(r"%NULL(?! (?:with|on|and) an? error)", self.doc(node))
        if is_pointer and says_null and node.get("nullable") != "1" and owner.get("throws") != "1":
            self.complain(owner, "may return NULL by its documentation, but is not nullable")
        if node.get("nullable") == "1" and not says_null:
            self.complain(owner, "is nullable, and its documentation does not say what NULL means")

    def boxed(self, node):
        self.counts["record"] += 1
        if node.get("{http://www.gtk.org/introspection/glib/1.0}get-type") is None and not node.get("disguised"):
            if node.get("{http://www.gtk.org/introspection/glib/1.0}is-gtype-struct-for") is None:
                self.complain(node, "is a structure without a type: no binding can copy or free it")


def main():
    root = ElementTree.parse(sys.argv[1]).getroot()
    reader = Reader(root)
    for tag in CALLABLES:
        for node in root.iter(f"{CORE}{tag}"):
            is_reference = REFERENCES.match(node.get(f"{C}identifier", ""))
            is_class_slot = reader.parents[node].tag == f"{CORE}field"
            if not is_reference and not is_class_slot:
                reader.callable(node)
    for node in root.iter(f"{CORE}record"):
        reader.boxed(node)
    for what, at_least in {"method": 100, "function": 20, "parameter": 150, "array": 20, "out": 1, "virtual-method": 10}.items():
        if reader.counts[what] < at_least:
            reader.problems.append(f"only {reader.counts[what]} of {what} were read")
    for problem in reader.problems:
        print(problem)
    print(", ".join(f"{count} {what}" for what, count in sorted(reader.counts.items())))
    return 1 if reader.problems else 0


sys.exit(main())
