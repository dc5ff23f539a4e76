"""Reports as objects (docs/json.md says what the fields mean), and as HTML for notebooks."""
import html
import json
import linecache

_COLOURS = {"error": "#c62828", "warning": "#b26a00", "note": "#546e7a", "proved": "#2e7d32", "refuted": "#c62828",
            "unknown": "#b26a00", "proved_if": "#2e7d32", "none": "#546e7a"}


class Found(AssertionError):
    """Something was found (or is unknown), where nothing must be: `report` has it."""

    def __init__(self, report):
        super().__init__(str(report))
        self.report = report


_COSTS = {"coalescing", "bank-conflict", "divergence.branch"}


class Finding:
    """One finding: rule, level, message, file, line, column, threads (texts), values, and `raw` with the rest."""

    def __init__(self, raw, kernel):
        self.raw, self.kernel = raw, kernel
        self.rule, self.level, self.message = raw["rule"], raw["level"], raw["message"]
        self.file, self.line, self.column = raw.get("file"), raw["line"], raw["column"]
        self.count = raw.get("count", 1)
        self.help = raw.get("help")
        self.fix = raw.get("fix")
        witness = raw.get("witness") or {}
        self.element = witness.get("element")
        self.threads = [t["text"] for t in witness.get("threads", [])]
        self.values = {v["name"]: v["value"] for v in witness.get("values", [])}
        self.detail = raw.get("detail") or {}

    @property
    def source(self):
        """The line, where the file can be read."""
        return linecache.getline(self.file, self.line).rstrip("\n") if self.file else ""

    @property
    def is_cost(self):
        """It is slow there, not wrong."""
        return self.rule in _COSTS

    def __str__(self):
        times = " (%d times)" % self.count if self.count > 1 else ""
        lines = ["%s:%d:%d: %s: %s [%s]%s" % (self.file, self.line, self.column, self.level, self.message, self.rule,
                                              times)]
        lines += ["  " + text for text in self.threads]
        if self.fix:
            lines.append("  fix: " + self.fix["description"])
        return "\n".join(lines)

    def __repr__(self):
        return "<Finding %s %s:%d>" % (self.rule, self.file, self.line)

    def _repr_html_(self):
        lines = "".join("<div>%s</div>" % html.escape(t) for t in self.threads)
        source = "<pre style='margin:2px 0'>%5d | %s</pre>" % (self.line, html.escape(self.source)) if self.source else ""
        return ("<div style='border-left:4px solid %s;padding:2px 8px;margin:6px 0'><b>%s</b> %s <code>%s</code> "
                "<small>%s:%d</small>%s%s%s</div>" %
                (_COLOURS.get(self.level, "#546e7a"), html.escape(self.level), html.escape(self.message),
                 html.escape(self.rule), html.escape(str(self.file)), self.line, source, lines, _picture(self.detail)))


class Kernel:
    """One kernel: name, verdict ('proved', 'refuted', 'unknown', 'none'), brief, scope, findings, unknown."""

    def __init__(self, raw):
        self.raw = raw
        self.name, self.demangled = raw["name"], raw["demangled"]
        self.verdict, self.brief, self.scope = raw["verdict"], raw.get("brief", ""), raw.get("scope", [])
        self.file, self.line = raw.get("file"), raw["line"]
        self.block, self.grid = raw["launch"]["block"], raw["launch"]["grid"]
        self.unknown = [u["message"] for u in raw.get("unknown", [])]
        self.findings = [Finding(f, self) for f in raw["findings"]]
        self.stats = raw.get("stats", {})

    @property
    def clean(self):
        counts = [f for f in self.findings if f.level != "note" and "suppressed" not in f.raw]
        return not counts and self.verdict not in ("refuted", "unknown") and not self.unknown

    def __str__(self):
        verdict = self.verdict if self.verdict != "none" else "clean" if self.clean else "found"
        lines = [str(f) for f in self.findings if f.level != "note"]
        lines += ["  unknown: " + text for text in self.unknown]
        return "\n".join(lines + ["kernel '%s': %s %s" % (self.demangled, verdict, self.brief)])

    def __repr__(self):
        return "<Kernel %s: %s>" % (self.demangled, self.verdict)


class Report:
    """What a check or a run has found. True where all is clean; `raise_for_findings()` raises Found where not."""

    def __init__(self, text, replaced=None):
        for temporary, name in (replaced or {}).items():
            text = text.replace(json.dumps(temporary)[1:-1], json.dumps(name)[1:-1])
        self.raw = json.loads(text)
        self.kernels = [Kernel(k) for f in self.raw["files"] for k in f["kernels"]]
        self.diagnostics = [d for f in self.raw["files"] for d in f["diagnostics"]]

    @property
    def findings(self):
        return [f for k in self.kernels for f in k.findings]

    @property
    def errors(self):
        """What made it impossible to look: compilation, wrong arguments."""
        return [_place(d) + d["message"] for d in self.diagnostics if d["level"] == "error"]

    @property
    def clean(self):
        return not self.errors and all(k.clean for k in self.kernels)

    def __bool__(self):
        return self.clean

    def __getitem__(self, name):
        for kernel in self.kernels:
            if name in (kernel.name, kernel.demangled, kernel.demangled.split("(")[0].split("<")[0]):
                return kernel
        raise KeyError(name)

    def raise_for_findings(self):
        if not self.clean:
            raise Found(self)
        return self

    def __str__(self):
        return "\n".join(["error: " + e for e in self.errors] + [str(k) for k in self.kernels]) or "nothing was looked at"

    def __repr__(self):
        return "<Report %s: %d kernels, %d findings>" % ("clean" if self.clean else "not clean", len(self.kernels),
                                                         len(self.findings))

    def _repr_html_(self):
        parts = ["<div style='color:%s'>error: %s</div>" % (_COLOURS["error"], html.escape(e)) for e in self.errors]
        for kernel in self.kernels:
            parts.append("<div><b style='color:%s'>%s</b> <code>%s</code> %s</div>" %
                         (_COLOURS.get(kernel.verdict, "#546e7a"), html.escape(kernel.verdict),
                          html.escape(kernel.demangled), html.escape(kernel.brief)))
            parts += [f._repr_html_() for f in kernel.findings]
            parts += ["<div>unknown: %s</div>" % html.escape(u) for u in kernel.unknown]
        return "<div style='font-family:sans-serif;font-size:13px'>%s</div>" % "".join(parts)


def _place(diagnostic):
    if not diagnostic.get("file"):
        return ""
    return "%s:%d:%d: " % (diagnostic["file"], diagnostic["line"], diagnostic["column"]) if diagnostic["line"] else \
        diagnostic["file"] + ": "


def _picture(detail):
    """A warp: its lanes above, the sectors or banks that they touch below."""
    lanes, banks = detail.get("lanes"), detail.get("banks")
    if not isinstance(lanes, list) or not lanes:
        return ""
    if isinstance(banks, list) and banks:
        places, target = len(banks), [(o // 4) % len(banks) if o >= 0 else -1 for o in lanes]
    else:
        sectors = sorted({o // 32 for o in lanes if o >= 0})
        places, target = len(sectors), [sectors.index(o // 32) if o >= 0 else -1 for o in lanes]
    width = 10 * max(len(lanes), places)
    step, slot = width / len(lanes), width / max(1, places)
    marks = "".join("<rect x='%.1f' y='0' width='%.1f' height='8' fill='#90a4ae'/>" % (i * step, step - 1)
                    for i in range(len(lanes)))
    marks += "".join("<rect x='%.1f' y='40' width='%.1f' height='8' fill='%s'/>" %
                     (i * slot, slot - 1, "#c62828" if banks and banks[i] > 1 else "#90a4ae") for i in range(places))
    marks += "".join("<line x1='%.1f' y1='8' x2='%.1f' y2='40' stroke='#78909c' stroke-width='0.7'/>" %
                     ((i + 0.5) * step, (t + 0.5) * slot) for i, t in enumerate(target) if t >= 0)
    return "<svg width='%d' height='50' role='img' aria-label='lanes of a warp'>%s</svg>" % (width, marks)
