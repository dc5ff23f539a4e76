/* The page of a report. All of it is made from the JSON in #data; texts reach the page as text only, never as
 * markup, so that nothing in a source file or a name can do anything here. */
'use strict';
(() => {
const data = JSON.parse(document.getElementById('data').textContent);
if (data.allocation) data.report = {files: [], command: 'allocate', lockstep: ''}, data.rules = [], data.sources = {};
const LEVELS = ['error', 'warning', 'note'], RANK = {error: 0, warning: 1, note: 2};
const rules = new Map(data.rules.map(r => [r.name, r]));

/* --- Small helpers ---------------------------------------------------------------------------------------- */
function el(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const key in attributes || {}) {
    const value = attributes[key];
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (key === 'class') node.className = value;
    else node.setAttribute(key, value === true ? '' : value);
  }
  for (const child of children.flat()) if (child !== null && child !== undefined && child !== false) node.append(child);
  return node;
}
const NS = 'http://www.w3.org/2000/svg';
function svg(name, attributes, text) {
  const node = document.createElementNS(NS, name);
  for (const key in attributes || {}) node.setAttribute(key, attributes[key]);
  if (text !== undefined) node.textContent = text;
  return node;
}
const plural = (n, word) => n.toLocaleString('en') + ' ' + word + (n === 1 ? '' : 's');
/* A text with what stands between backquotes as code. */
const withCode = text => text.split('`').map((part, i, parts) => i % 2 && i < parts.length - 1 ? el('code', {}, part) : part);
const shortName = k => { const at = k.demangled.indexOf('('); return at > 0 ? k.demangled.slice(0, at) : k.demangled; };
const base = path => path.slice(path.lastIndexOf('/') + 1);

/* --- The findings, flat ----------------------------------------------------------------------------------- */
const kernels = [], all = [];
for (const file of data.report.files)
  for (const kernel of file.kernels) {
    kernel.path = kernel.file || file.path;
    kernel.input = file.path;
    kernels.push(kernel);
    for (const f of kernel.findings) {
      f.kernel = kernel;
      f.id = all.length;
      f.file = f.file || file.path;
      f.words = (f.message + ' ' + f.rule + ' ' + kernel.demangled + ' ' + f.file).toLowerCase();
      all.push(f);
    }
  }
all.forEach((f, i) => { f.id = i; });
const order = all.slice().sort((a, b) => RANK[a.level] - RANK[b.level] || a.id - b.id);

const state = {levels: new Set(LEVELS), rule: '', kernel: '', text: '', tab: 'findings', file: null, open: new Set(),
               picked: -1, heat: 'findings', folded: new Set()};
let shown = order;

/* --- Heat per line ---------------------------------------------------------------------------------------- */
const WEIGHT = {error: 9, warning: 3, note: 1};
const metrics = new Map();
function addHeat(metric, file, line, value) {
  if (!line || !(value > 0)) return;
  if (!metrics.has(metric)) metrics.set(metric, new Map());
  const files = metrics.get(metric);
  if (!files.has(file)) files.set(file, new Map());
  const lines = files.get(file);
  lines.set(line, (lines.get(line) || 0) + value);
}
for (const f of all) {
  const d = f.detail || {};
  addHeat('findings', f.file, f.line, WEIGHT[f.level]);
  addHeat('sectors', f.file, f.line, d.sectors_per_access ? d.sectors_per_access * d.accesses : d.sectors);
  addHeat('bank conflicts', f.file, f.line, f.rule === 'bank-conflict' ? (d.degree || 1) - 1 : 0);
  addHeat('divergence', f.file, f.line, f.rule === 'divergence.branch' ? Number(f.count) || 1 : 0);
}
for (const kernel of kernels)
  for (const p of kernel.profile || []) {
    addHeat('instructions', p.file, p.line, p.warp_instructions);
    addHeat('idle lanes', p.file, p.line, p.warp_instructions * 32 - p.lane_instructions);
  }

/* --- Pictures --------------------------------------------------------------------------------------------- */
const LANE = 20, GAP = 4, STEP = LANE + GAP, PAD = 64;

function laneRow(picture, lanes, y) {
  picture.append(svg('text', {x: 0, y: y + 14, class: 'dim'}, 'lanes'));
  for (let i = 0; i < 32; i++) {
    const x = PAD + i * STEP;
    const box = svg('rect', {x, y, width: LANE, height: LANE, rx: 4, class: 'lane' + (lanes[i] < 0 ? ' off' : '')});
    box.append(svg('title', {}, lanes[i] < 0 ? 'lane ' + i + ' takes no part' : 'lane ' + i + ': byte +' + lanes[i]));
    picture.append(box, svg('text', {x: x + LANE / 2, y: y + 14, 'text-anchor': 'middle', class: lanes[i] < 0 ? 'dim' : ''}, i));
  }
}

/* 32 lanes → 32-byte sectors: what is fetched, and how much of it is used. */
function sectorPicture(lanes, bytes, groups) {
  const at = new Map();
  lanes.forEach((offset, lane) => {
    if (offset < 0) return;
    for (let b = 0; b < bytes; b++) {
      const key = (groups ? groups[lane] : 0) * 2 ** 40 + Math.floor((offset + b) / 32);
      if (!at.has(key)) at.set(key, {used: new Set(), lanes: new Set()});
      at.get(key).used.add((offset + b) % 32);
      at.get(key).lanes.add(lane);
    }
  });
  const keys = [...at.keys()].sort((a, b) => a - b), width = PAD + 32 * STEP;
  const cell = Math.min(46, Math.max(16, (width - PAD) / keys.length - 4));
  const picture = svg('svg', {width, height: 150, viewBox: '0 0 ' + width + ' 150', role: 'img',
                              'aria-label': keys.length + ' sectors for 32 lanes'});
  laneRow(picture, lanes, 4);
  picture.append(svg('text', {x: 0, y: 118, class: 'dim'}, 'sectors'));
  keys.forEach((key, k) => {
    const x = PAD + k * (cell + 4), entry = at.get(key);
    for (const lane of entry.lanes)
      picture.append(svg('path', {d: 'M' + (PAD + lane * STEP + LANE / 2) + ' 26 C' + (PAD + lane * STEP + LANE / 2) + ' 66 ' +
                                     (x + cell / 2) + ' 60 ' + (x + cell / 2) + ' 98', class: 'wire'}));
    picture.append(svg('rect', {x, y: 100, width: cell, height: 26, rx: 3, class: 'box'}));
    picture.append(svg('rect', {x, y: 100, width: cell, height: 26, rx: 3, class: 'waste'}));
    for (const byte of entry.used)
      picture.append(svg('rect', {x: x + cell * byte / 32, y: 100, width: cell / 32 + .3, height: 26, class: 'used'}));
    if (k && key !== keys[k - 1] + 1) picture.append(svg('text', {x: x - 4, y: 140, 'text-anchor': 'middle', class: 'dim'}, '…'));
  });
  const used = [...at.values()].reduce((sum, e) => sum + e.used.size, 0);
  return el('figure', {class: 'wide'}, picture, el('figcaption', {}, plural(keys.length, 'sector') + ' of 32 bytes are moved for ' + used +
    ' bytes that are used (' + Math.round(100 * used / (32 * keys.length)) + ' %). Green is used, pale is not. ' +
    (groups ? 'Groups of lanes whose distance is not known are drawn apart. ' : '')));
}

/* 32 lanes → 32 banks of 4 bytes: one word of a bank a turn. */
function bankPicture(lanes, bytes, counts) {
  const width = PAD + 32 * STEP, words = Array.from({length: 32}, () => new Map());
  if (lanes) lanes.forEach((offset, lane) => {
    if (offset < 0) return;
    for (let b = 0; b < Math.max(bytes, 4); b += 4) {
      const word = Math.floor((offset + b) / 4), bank = ((word % 32) + 32) % 32;
      if (!words[bank].has(word)) words[bank].set(word, []);
      words[bank].get(word).push(lane);
    }
  });
  const heights = counts || words.map(w => w.size), most = Math.max(...heights, 1), unit = Math.min(14, 120 / most);
  const top = lanes ? 92 : 12, height = top + most * unit + 34;
  const picture = svg('svg', {width, height, viewBox: '0 0 ' + width + ' ' + height, role: 'img',
                              'aria-label': 'words in each of 32 banks, at most ' + most});
  if (lanes) laneRow(picture, lanes, 4);
  picture.append(svg('text', {x: 0, y: top + most * unit + 18, class: 'dim'}, 'banks'));
  for (let bank = 0; bank < 32; bank++) {
    const x = PAD + bank * STEP, count = heights[bank] || 0;
    for (const list of lanes ? words[bank].values() : [])
      for (const lane of list)
        picture.append(svg('path', {d: 'M' + (PAD + lane * STEP + LANE / 2) + ' 26 C' + (PAD + lane * STEP + LANE / 2) + ' 60 ' +
          (x + LANE / 2) + ' 56 ' + (x + LANE / 2) + ' ' + (top - 2), class: 'wire' + (words[bank].size > 1 ? ' bad' : '')}));
    for (let k = 0; k < count; k++)
      picture.append(svg('rect', {x, y: top + k * unit, width: LANE, height: Math.max(unit - 1.5, 1), rx: 2, class: k ? 'bad' : 'ok'}));
    picture.append(svg('text', {x: x + LANE / 2, y: top + most * unit + 18, 'text-anchor': 'middle', class: count ? '' : 'dim'}, bank));
  }
  return el('figure', {class: 'wide'}, picture, el('figcaption', {}, most > 1
    ? 'Each box is a word that lanes ask of a bank; a bank gives one word a turn, so this access takes ' + most + ' turns instead of 1.'
    : 'No bank is asked for two words: one turn.'));
}

/* The threads of a race, each on a line of its own, up to where they meet. */
function timeline(witness) {
  const threads = witness.threads.filter(t => t.does);
  if (threads.length < 2) return null;
  const width = 640, left = 130, right = 470, top = 40, a = witness.in_order ? 78 : 100, b = witness.in_order ? 138 : 100;
  const picture = svg('svg', {width, height: 196, viewBox: '0 0 ' + width + ' 196', role: 'img', 'aria-label': 'timeline of the two threads'});
  const name = t => t.text.replace(' ' + t.does + ' ' + what, '');
  const what = witness.element || (witness.object ? "byte " + witness.byte + " of '" + witness.object + "'" : 'the same memory');
  [[left, threads[0], a], [right, threads[1], b]].forEach(([x, t, y], i) => {
    picture.append(svg('text', {x, y: 16, 'text-anchor': 'middle'}, name(t)));
    picture.append(svg('line', {x1: x, y1: 24, x2: x, y2: 180, class: 'life'}));
    const indices = (t.thread || []).map((v, d) => v || !d ? 'threadIdx.' + 'xyz'[d] + ' = ' + v : '').filter(Boolean).join(', ');
    if (indices) picture.append(svg('text', {x: i ? x + 14 : x - 14, y: 62, 'text-anchor': i ? 'start' : 'end', class: 'dim'}, indices));
    picture.append(svg('circle', {cx: x, cy: y, r: 6, class: 'ev'}));
    const out = i ? x + 14 : x - 14;
    picture.append(svg('text', {x: out, y: y + 4, 'text-anchor': i ? 'start' : 'end'}, t.does + ' ' + what));
    picture.append(svg('text', {x: out, y: y + 19, 'text-anchor': i ? 'start' : 'end', class: 'dim'}, t.line ? 'line ' + t.line : ''));
  });
  let zig = 'M' + (left + 8) + ' ' + a;
  for (let i = 1; i < 16; i++) zig += ' L' + (left + 8 + (right - left - 16) * i / 16) + ' ' + (a + (b - a) * i / 16 + (i % 2 ? -6 : 6));
  picture.append(svg('path', {d: zig + ' L' + (right - 8) + ' ' + b, class: 'clash'}));
  picture.append(svg('text', {x: (left + right) / 2, y: (a + b) / 2 - 14 - Math.abs(b - a) / 5, 'text-anchor': 'middle'}, 'nothing orders the two'));
  picture.append(svg('text', {x: left - 14, y: top, 'text-anchor': 'end', class: 'dim'}, 'time ↓'));
  const values = (witness.values || []).slice(0, 4).map(v => v.name + ' = ' + v.value).join(', ');
  if (values) picture.append(svg('text', {x: (left + right) / 2, y: 40, 'text-anchor': 'middle', class: 'dim'}, values));
  return el('figure', {}, picture);
}

/* Blocks of the grid and warps of a block, where they are not too many. */
function launchPicture(launch) {
  if (!launch.block) return null;
  const threads = launch.block[0] * launch.block[1] * launch.block[2], warps = Math.ceil(threads / 32);
  const blocks = launch.grid ? launch.grid[0] * launch.grid[1] * launch.grid[2] : 0, drawn = Math.min(blocks || 1, 48);
  const picture = svg('svg', {width: 640, height: 74, viewBox: '0 0 640 74', role: 'img', 'aria-label': 'the launch'});
  for (let i = 0; i < drawn; i++) picture.append(svg('rect', {x: (i % 24) * 14, y: 4 + Math.floor(i / 24) * 14, width: 11, height: 11, rx: 2, class: 'lane'}));
  picture.append(svg('text', {x: 0, y: 56, class: 'dim'}, blocks ? plural(blocks, 'block') + (blocks > drawn ? ' (' + drawn + ' drawn)' : '') : 'a block of a grid of any size'));
  for (let i = 0; i < Math.min(warps, 32); i++) {
    const part = Math.min(threads - i * 32, 32) / 32;
    picture.append(svg('rect', {x: 370, y: 4 + i * 3, width: 200, height: 2, class: 'box'}), svg('rect', {x: 370, y: 4 + i * 3, width: 200 * part, height: 2, class: 'used'}));
  }
  picture.append(svg('text', {x: 370, y: Math.max(24, 16 + Math.min(warps, 32) * 3), class: 'dim'}, plural(warps, 'warp') + ' a block, ' + plural(threads, 'thread')));
  picture.setAttribute('height', Math.max(74, 24 + Math.min(warps, 32) * 3));
  picture.setAttribute('viewBox', '0 0 640 ' + Math.max(74, 24 + Math.min(warps, 32) * 3));
  return el('figure', {}, picture);
}

/* The buffers of the launch, each as long as it is large (by the square root, so that small ones show), with a mark
 * where something was found. */
function memoryPicture(k) {
  const list = (k.stats || {}).memory || [];
  if (!list.length) return null;
  const width = 640, left = 150, row = 30, most = Math.max(...list.map(m => m.bytes)), picture = svg('svg', {width, height: list.length * row + 6,
    viewBox: '0 0 ' + width + ' ' + (list.length * row + 6), role: 'img', 'aria-label': 'the memory of the launch'});
  list.forEach((m, i) => {
    const y = 4 + i * row, long = Math.max(6, (width - left - 190) * Math.sqrt(m.bytes / most));
    picture.append(svg('text', {x: 0, y: y + 15}, m.name), svg('rect', {x: left, y, width: long, height: 20, rx: 3, class: m.space === 'shared' ? 'lane' : 'box'}));
    for (const f of k.findings) {
      const w = f.witness || {}, at = w.object === m.name ? w.byte : undefined;
      if (at === undefined) continue;
      const mark = svg('rect', {x: left + Math.min(1, at / m.bytes) * (long - 3), y: y - 2, width: 3, height: 24, class: 'bad'});
      mark.append(svg('title', {}, f.message + ' (byte ' + at + ')'));
      picture.append(mark);
    }
    picture.append(svg('text', {x: left + long + 8, y: y + 15, class: 'dim'}, m.space + ', ' + (m.type ? m.type + '[' + m.count + '], ' : '') + plural(m.bytes, 'byte')));
  });
  return el('figure', {class: 'wide'}, picture);
}

/* --- Cards ------------------------------------------------------------------------------------------------ */
function placeLink(place, text) {
  return el('button', {class: 'link', type: 'button', onclick: () => show(place.file, place.line)}, text || base(place.file) + ':' + place.line);
}
const SAID = new Set(['lanes', 'banks', 'groups', 'reason', 'class']);
function details(f) {
  const list = el('dl', {class: 'kv'});
  for (const [key, value] of Object.entries(f.detail || {})) {
    if (SAID.has(key) || (value && typeof value === 'object')) continue;
    list.append(el('dt', {}, key.replaceAll('_', ' ')), el('dd', {}, String(value)));
  }
  return list.childNodes.length ? list : null;
}
function body(f) {
  const box = el('div', {class: 'body'}), d = f.detail || {}, w = f.witness;
  const rule = rules.get(f.rule);
  if (w && w.threads && w.threads.length) {
    box.append(el('h4', {}, 'How it happens'));
    const steps = el(w.in_order ? 'ol' : 'ul', {});
    for (const t of w.threads) steps.append(el('li', {}, t.text, t.line ? [' at ', placeLink(t.file ? t : {file: f.file, line: t.line})] : null));
    box.append(steps);
    if (f.rule.startsWith('race')) { const figure = timeline(w); if (figure) box.append(figure); }
    if (w.values && w.values.length) box.append(el('p', {}, 'With ', el('code', {}, w.values.map(v => v.name + ' = ' + v.value).join(', ')), '.'));
    if (w.replay) box.append(el('p', {}, w.replay[0].toUpperCase() + w.replay.slice(1) + '.'));
  }
  if (d.lanes && f.rule === 'coalescing') box.append(el('h4', {}, 'One warp'), sectorPicture(d.lanes, d.element_bytes || 4, d.groups));
  if (f.rule === 'bank-conflict' && (d.lanes || d.banks)) box.append(el('h4', {}, 'One warp'), bankPicture(d.lanes, d.element_bytes || 4, d.lanes ? null : d.banks));
  if (f.fix) box.append(el('div', {class: 'fix'}, el('b', {}, 'Fix: '), withCode(f.fix.description), f.fix.checked ? '' : ' (not tried)',
                           f.fix.insert ? el('pre', {}, f.fix.insert) : null));
  if (f.help) box.append(el('h4', {}, 'What helps'), el('p', {}, withCode(f.help)));
  const told = r => w && (w.threads || []).some(t => t.line === r.line && t.column === r.column && t.file === r.file);
  const related = f.related.filter(r => !told(r));
  if (related.length) {
    const list = el('ul', {});
    for (const r of related) list.append(el('li', {}, r.message + ' ', r.file ? placeLink(r) : null));
    box.append(el('h4', {}, 'Also'), list);
  }
  const more = details(f);
  if (more) box.append(el('h4', {}, 'Numbers'), more);
  if (rule) box.append(el('h4', {}, 'The rule: ' + rule.title), el('p', {}, withCode(rule.help)));
  if (f.suppressed) box.append(el('p', {}, 'Suppressed (' + f.suppressed.by + ')' + (f.suppressed.reason ? ': ' + f.suppressed.reason : '') + '.'));
  return box;
}
function card(f) {
  const open = state.open.has(f.id);
  const head = el('button', {type: 'button', 'aria-expanded': String(open), onclick: () => { toggle(f.id); }},
    el('span', {class: 'tag ' + f.level}, f.level), el('span', {class: 'msg'}, f.message),
    el('span', {class: 'rule'}, f.rule + (Number(f.count) > 1 ? ' · ' + Number(f.count).toLocaleString('en') + ' times' : '') + (f.suppressed ? ' · suppressed' : '')));
  return el('article', {class: 'card ' + f.level, 'data-id': f.id}, head, open ? body(f) : null);
}
function kernelCard(k) {
  const key = 'k' + kernels.indexOf(k), open = state.open.has(key);
  const box = open ? el('div', {class: 'body'}) : null;
  if (open) {
    const figure = launchPicture(k.launch);
    if (figure) box.append(el('h4', {}, 'Launch'), figure);
    const memory = memoryPicture(k);
    if (memory) box.append(el('h4', {}, 'Memory'), memory);
    if (k.help) box.append(el('h4', {}, 'What helps'), el('p', {}, withCode(k.help)));
    if (k.unknown.length) {
      const list = el('ul', {});
      for (const r of k.unknown) list.append(el('li', {}, r.message + ' ', r.line ? placeLink({file: r.file || k.path, line: r.line}) : null, r.help ? ' — ' + r.help : null));
      box.append(el('h4', {}, 'What is not known'), list);
    }
    if (k.scope.length) box.append(el('h4', {}, 'What this covers and assumes'), el('ul', {}, k.scope.map(s => el('li', {}, s))));
    const stats = el('dl', {class: 'kv'});
    for (const [name, value] of Object.entries(k.stats || {}))
      if (typeof value !== 'object') stats.append(el('dt', {}, name.replaceAll('_', ' ')), el('dd', {}, String(value)));
    if (stats.childNodes.length) box.append(el('h4', {}, 'Numbers'), stats);
  }
  const head = el('button', {type: 'button', 'aria-expanded': String(open), onclick: () => { toggle(key, k.path); }},
    el('span', {class: 'tag ' + k.verdict}, k.verdict === 'none' ? 'kernel' : k.verdict), el('span', {class: 'msg'}, el('b', {}, shortName(k)), ' — ', k.brief),
    el('span', {class: 'rule'}, plural(k.findings.length, 'finding')));
  return el('article', {class: 'card kernel ' + k.verdict}, head, box);
}
function toggle(id) {
  if (state.open.has(id)) state.open.delete(id); else state.open.add(id);
  if (typeof id === 'number') state.picked = id;
  const place = view.scrollTop;
  drawSource();
  view.scrollTop = place;
  drawList();
}

/* --- The source ------------------------------------------------------------------------------------------- */
const WORDS = new Set(('auto bool break case char class const constexpr continue default delete do double else enum extern false float for if inline int long ' +
  'namespace new nullptr operator private public return short signed sizeof static struct switch template this true typedef typename unsigned using void volatile ' +
  'while __global__ __device__ __host__ __shared__ __constant__ __restrict__ __launch_bounds__ __kernel kernel __global global __local local __private half uint ' +
  'size_t dim3 threadIdx blockIdx blockDim gridDim __syncthreads __syncwarp barrier get_global_id get_local_id get_group_id').split(' '));
const TOKEN = /(\/\/.*$|\/\*.*?(?:\*\/|$))|("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)|(\b\d[\w.]*)|([A-Za-z_]\w*)/g;
function paint(node, text) {
  let at = 0;
  for (const m of text.matchAll(TOKEN)) {
    const kind = m[1] ? 'c' : m[2] ? 's' : m[3] ? 'n' : WORDS.has(m[4]) ? 'k' : '';
    if (!kind) continue;
    if (m.index > at) node.append(text.slice(at, m.index));
    node.append(el('span', {class: 'tok-' + kind}, m[0]));
    at = m.index + m[0].length;
  }
  if (at < text.length) node.append(text.slice(at));
}

const view = el('section', {class: 'view', tabindex: '-1', 'aria-label': 'source'});
const CHUNK = 200, MOST = 12, AROUND = 4;
let onPaper = false; /* what is far from every finding is left out there */

function drawSource() {
  const path = state.file, lines = path === null ? null : data.sources[path];
  view.replaceChildren();
  if (path === null) { drawStart(); return; }
  const heatSelect = el('select', {'aria-label': 'heat', onchange: e => { state.heat = e.target.value; drawSource(); }},
    [...metrics.keys()].map(m => el('option', {value: m, selected: m === state.heat}, m)));
  view.append(el('div', {class: 'file'}, el('button', {class: 'icon', type: 'button', title: 'overview', 'aria-label': 'overview', onclick: () => { state.file = null; draw(); }}, '⌂'),
    el('span', {class: 'mono'}, path), metrics.size ? el('label', {}, 'heat', heatSelect) : null));
  const byLine = new Map(), put = (line, node) => { if (!byLine.has(line)) byLine.set(line, []); byLine.get(line).push(node); };
  const visible = new Set(shown);
  for (const k of kernels) if (k.path === path && (k.line || !lines)) put(k.line, k);
  for (const f of all) if (f.file === path && visible.has(f)) put(f.line, f);
  const cards = line => {
    const found = byLine.get(line), key = 'm' + path + ':' + line, most = state.open.has(key) ? found.length : MOST;
    const first = found.filter((item, i) => i < most || item.id === state.picked);
    return el('div', {class: 'cards'}, first.map(item => item.findings ? kernelCard(item) : card(item)),
      found.length > first.length ? el('button', {class: 'chip', type: 'button', onclick: () => toggle(key)}, 'and ' + plural(found.length - first.length, 'more finding') + ' of this line') : null);
  };
  const heat = (metrics.get(state.heat) || new Map()).get(path) || new Map(), most = Math.max(1, ...heat.values());
  const src = el('div', {class: 'src mono'});
  if (byLine.has(0)) view.append(cards(0));
  if (!lines) {
    view.append(el('p', {class: 'empty'}, 'The text of this file is not in the report.'));
    view.append(...[...byLine.keys()].filter(line => line).sort((a, b) => a - b).map(cards));
    return;
  }
  const near = new Set();
  for (const line of onPaper ? byLine.keys() : []) for (let i = line - AROUND; i <= line + AROUND; i++) near.add(i);
  const marks = new Map();
  for (const f of visible) if (f.file === path && f.column) marks.set(f.line, Math.min(marks.get(f.line) || Infinity, f.column));
  for (let start = 0; start < lines.length; start += CHUNK) {
    const chunk = el('div', {class: lines.length > 2 * CHUNK ? 'chunk' : ''});
    for (let i = start; i < Math.min(start + CHUNK, lines.length); i++) {
      if (onPaper && !near.has(i + 1)) {
        if (near.has(i)) chunk.append(el('div', {class: 'ln'}, el('span', {}), el('span', {class: 'no'}, '…')));
        continue;
      }
      const no = i + 1, nodes = byLine.get(no), text = el('span', {class: 'tx'}), value = heat.get(no) || 0;
      paint(text, lines[i]);
      const bar = el('span', {class: 'heat', title: value ? state.heat + ': ' + Math.round(value).toLocaleString('en') : null});
      if (value) bar.style.background = 'rgba(var(--heat), ' + (0.18 + 0.82 * value / most) + ')';
      const row = el('div', {class: 'ln' + (state.picked >= 0 && all[state.picked].file === path && all[state.picked].line === no ? ' at' : ''), id: 'L' + no},
        bar, el('span', {class: 'no' + (nodes ? ' has' : ''), title: nodes ? 'fold' : null,
                         onclick: nodes ? () => { const key = path + ':' + no; if (!state.folded.delete(key)) state.folded.add(key); const y = view.scrollTop; drawSource(); view.scrollTop = y; } : null}, no), text);
      chunk.append(row);
      if (nodes && !state.folded.has(path + ':' + no)) chunk.append(cards(no));
    }
    src.append(chunk);
  }
  view.append(src);
}

/* What `allocate` did: the numbers before and after, and the two texts side by side; lines that only one has are
 * marked. */
function drawAllocation() {
  const box = el('div', {class: 'start'}), a = data.allocation, rest = new Map();
  box.append(el('h2', {}, 'Before and after: ' + a.path));
  for (const k of a.kernels || []) {
    const rows = [['registers wanted at once', k.pressure, k.pressure_after], ['predicates', k.predicates, k.predicates_after], ['instructions', k.instructions, k.instructions_after],
      ['occupancy', k.occupancy && k.occupancy.before.percent + ' % (' + k.occupancy.before.limit + ')', k.occupancy && k.occupancy.after.percent + ' % (' + k.occupancy.after.limit + ')'],
      ['local memory of a thread', 0, k.local_bytes === undefined ? undefined : plural(k.local_bytes, 'byte')], ['shared memory of a block', k.shared_static, k.shared_bytes === undefined ? undefined : plural(k.shared_static + k.shared_bytes, 'byte')]];
    box.append(el('h3', {}, k.name + (k.allocator ? ' (' + k.allocator + (k.registers ? ', ' + plural(k.registers, 'register') : '') + ')' : '')),
      el('table', {class: 'change'}, el('tr', {}, el('th', {}, ''), el('th', {}, 'before'), el('th', {}, 'after')),
        rows.filter(r => r[2] !== undefined && r[2] !== null).map(r => el('tr', {}, el('td', {}, r[0]), el('td', {}, String(r[1])), el('td', {}, String(r[2]))))),
      ...(k.reason ? [el('p', {}, k.reason)] : []), ...((k.notes || []).length ? [el('ul', {}, k.notes.map(n => el('li', {}, n)))] : []));
  }
  for (const line of data.texts.before) rest.set(line.trim(), (rest.get(line.trim()) || 0) + 1);
  const now = new Map();
  for (const line of data.texts.after) now.set(line.trim(), (now.get(line.trim()) || 0) + 1);
  const side = (title, lines, other, kind) => el('div', {class: 'side'}, el('h4', {}, title), el('pre', {class: 'mono'}, lines.map(line => {
    const left = other.get(line.trim()) || 0;
    other.set(line.trim(), left - 1);
    return el('span', {class: left > 0 ? '' : kind}, line + '\n');
  })));
  box.append(el('div', {class: 'sides'}, side('before', data.texts.before, now, 'gone'), side('after', data.texts.after, rest, 'new')));
  view.append(box);
}

function drawStart() {
  if (data.allocation) { drawAllocation(); return; }
  const box = el('div', {class: 'start'}), count = level => all.filter(f => f.level === level && !f.suppressed).length;
  const tile = (n, text, kind) => el('div', {class: 'tile'}, el('b', {class: kind}, n.toLocaleString('en')), el('span', {}, text));
  box.append(el('div', {class: 'grid'}, tile(kernels.length, 'kernels', ''), tile(kernels.filter(k => k.verdict === 'proved').length, 'proved', 'proved'),
    tile(kernels.filter(k => k.verdict === 'refuted').length, 'refuted', 'refuted'),
    tile(count('error'), count('error') === 1 ? 'error' : 'errors', 'error'), tile(count('warning'), count('warning') === 1 ? 'warning' : 'warnings', 'warning'), tile(kernels.filter(k => k.verdict === 'unknown').length, 'unknown', 'unknown')));
  for (const file of data.report.files) {
    if (!file.diagnostics.length) continue;
    box.append(el('h2', {}, 'Messages of the compiler'), el('ul', {}, file.diagnostics.map(d => el('li', {}, el('b', {class: d.level}, d.level), ' ' + d.message + ' ',
      d.file && d.line ? placeLink(d) : null))));
  }
  box.append(el('h2', {}, 'Kernels'));
  for (const k of kernels.slice(0, 300)) box.append(kernelCard(k));
  if (kernels.length > 300) box.append(el('p', {class: 'empty'}, 'and ' + plural(kernels.length - 300, 'more kernel') + ': see the list'));
  const hot = [...((metrics.get(state.heat) || new Map()).entries())].flatMap(([file, lines]) => [...lines].map(([line, v]) => ({file, line, v}))).sort((a, b) => b.v - a.v).slice(0, 8);
  if (hot.length) box.append(el('h2', {}, 'Hottest lines (' + state.heat + ')'), el('ol', {}, hot.map(h => el('li', {}, placeLink(h), ' ',
    el('code', {}, ((data.sources[h.file] || [])[h.line - 1] || '').trim().slice(0, 90))))));
  view.append(box);
}

function show(file, line) {
  state.file = file;
  drawSource();
  drawList();
  const row = view.querySelector('#L' + line);
  if (row) row.scrollIntoView({block: 'center'}); else view.scrollTop = 0;
}
function pick(f, open) {
  state.picked = f.id;
  if (open !== false) state.open.add(f.id);
  show(f.file, f.line);
  history.replaceState(null, '', '#f' + f.id);
  const at = shown.indexOf(f);
  if (at >= 0 && state.tab === 'findings') {
    const top = at * ROW;
    if (top < list.scrollTop || top > list.scrollTop + list.clientHeight - ROW) list.scrollTop = top - list.clientHeight / 2;
  }
}

/* --- The list: only the rows that can be seen are there ---------------------------------------------------- */
const ROW = 62;
const list = el('div', {class: 'list', role: 'list'}), spacer = el('div', {class: 'spacer'});
list.append(spacer);
list.addEventListener('scroll', drawRows);
const tabs = el('div', {class: 'tabs', role: 'tablist'});
let items = [];
function drawList() {
  const files = [...new Set([...Object.keys(data.sources), ...all.map(f => f.file)])];
  items = state.tab === 'findings' ? shown : state.tab === 'kernels' ? kernels : files;
  tabs.replaceChildren(...[['findings', shown.length], ['kernels', kernels.length], ['files', files.length]].map(([name, n]) =>
    el('button', {type: 'button', role: 'tab', 'aria-selected': String(state.tab === name), onclick: () => { state.tab = name; list.scrollTop = 0; drawList(); }},
      name[0].toUpperCase() + name.slice(1) + ' ' + n.toLocaleString('en'))));
  spacer.style.height = items.length * ROW + 'px';
  drawRows();
}
function row(item, index) {
  let node;
  if (state.tab === 'findings')
    node = el('button', {class: 'row', type: 'button', 'aria-current': String(item.id === state.picked), onclick: () => pick(item)},
      el('span', {class: 'what'}, el('span', {class: 'dot ' + item.level}), item.message),
      el('span', {class: 'where'}, el('span', {class: 'mono path'}, base(item.file) + ':' + item.line), el('span', {}, shortName(item.kernel)), el('span', {}, item.rule)));
  else if (state.tab === 'kernels')
    node = el('button', {class: 'row', type: 'button', onclick: () => { state.open.add('k' + index); show(item.path, item.line); }},
      el('span', {class: 'what'}, el('span', {class: 'dot ' + item.verdict}), shortName(item)),
      el('span', {class: 'where'}, el('span', {class: item.verdict}, item.verdict === 'none' ? '' : item.verdict), el('span', {}, plural(item.findings.length, 'finding')), el('span', {class: 'mono path'}, base(item.path))));
  else
    node = el('button', {class: 'row', type: 'button', 'aria-current': String(item === state.file), onclick: () => show(item, 1)},
      el('span', {class: 'what mono'}, base(item)), el('span', {class: 'where'}, el('span', {}, plural(all.filter(f => f.file === item).length, 'finding')), el('span', {class: 'path'}, item)));
  node.style.top = index * ROW + 'px';
  return node;
}
function drawRows() {
  const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 4), last = Math.min(items.length, first + Math.ceil((list.clientHeight || 800) / ROW) + 10);
  const rows = [];
  for (let i = first; i < last; i++) rows.push(row(items[i], i));
  if (!items.length) rows.push(el('p', {class: 'empty'}, all.length ? 'Nothing matches the filters.' : 'Nothing was found.'));
  spacer.replaceChildren(...rows);
}

/* --- Filters ---------------------------------------------------------------------------------------------- */
function filter() {
  const words = state.text.toLowerCase().split(/\s+/).filter(Boolean);
  shown = order.filter(f => state.levels.has(f.level) && (!state.rule || f.rule === state.rule) && (!state.kernel || f.kernel === kernels[state.kernel]) &&
    words.every(w => f.words.includes(w)));
  draw();
}
function draw() { drawList(); drawSource(); }

function step(by) {
  if (!shown.length) return;
  const at = shown.findIndex(f => f.id === state.picked);
  pick(shown[at < 0 ? 0 : Math.min(shown.length - 1, Math.max(0, at + by))]);
}

/* --- The frame -------------------------------------------------------------------------------------------- */
const wearTheme = theme => { document.documentElement.dataset.theme = theme; };
function setTheme(theme) { wearTheme(theme); try { localStorage.setItem('lockstep-theme', theme); } catch (e) { /* a page without storage */ } }
let kept = null;
try { kept = localStorage.getItem('lockstep-theme'); } catch (e) { kept = null; }
wearTheme(kept || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'));

const search = el('input', {type: 'search', placeholder: 'Search findings  ( / )', 'aria-label': 'search', oninput: e => { state.text = e.target.value; filter(); }});
const help = el('dialog', {}, el('h3', {}, 'Keys'), el('dl', {class: 'kv'}, [['j, k', 'next and previous finding'], ['Enter, o', 'open or close it'], ['/', 'search'], ['1, 2, 3', 'errors, warnings, notes on or off'],
  ['h', 'overview'], ['t', 'light or dark'], ['?', 'this help']].map(([k, v]) => [el('dt', {}, el('kbd', {}, k)), el('dd', {}, v)])), el('button', {class: 'chip', onclick: () => help.close()}, 'Close'));
const levelCount = new Map(LEVELS.map(level => [level, all.filter(f => f.level === level).length]));
const levelChips = LEVELS.map(level => el('button', {type: 'button', class: 'chip ' + level, 'aria-pressed': 'true', 'data-level': level, onclick: () => toggleLevel(level)},
  el('span', {class: 'dot'}), el('b', {}, levelCount.get(level).toLocaleString('en')), level + (levelCount.get(level) === 1 ? '' : 's')));
function toggleLevel(level) {
  if (!state.levels.delete(level)) state.levels.add(level);
  for (const chip of levelChips) chip.setAttribute('aria-pressed', String(state.levels.has(chip.dataset.level)));
  filter();
}
const used = [...new Set(all.map(f => f.rule))].sort();
const verdicts = ['proved', 'refuted', 'unknown'].map(v => [v, kernels.filter(k => k.verdict === v).length]).filter(([, n]) => n);
const logo = svg('svg', {width: 26, height: 26, viewBox: '0 0 26 26', 'aria-hidden': 'true'});
[4, 11, 18].forEach((y, i) => { for (let x = 0; x < 3; x++) logo.append(svg('rect', {x: 3 + x * 7, y, width: 5.4, height: 4.4, rx: 1.4, fill: i === x ? 'var(--accent)' : 'var(--line)'})); });
document.body.append(
  el('header', {}, el('div', {class: 'brand'}, logo, el('h1', {}, 'Lockstep ', el('small', {}, data.report.command + ' · ' + data.report.lockstep))),
    el('div', {class: 'chips'}, verdicts.map(([v, n]) => el('span', {class: 'chip ' + v}, el('b', {}, n.toLocaleString('en')), v)), levelChips),
    el('div', {class: 'tools'}, search,
      el('select', {'aria-label': 'rule', onchange: e => { state.rule = e.target.value; filter(); }}, el('option', {value: ''}, 'all rules'), used.map(r => el('option', {value: r}, r))),
      el('select', {'aria-label': 'kernel', onchange: e => { state.kernel = e.target.value; filter(); }}, el('option', {value: ''}, 'all kernels'), kernels.map((k, i) => el('option', {value: i}, shortName(k)))),
      el('button', {class: 'icon', type: 'button', title: 'light or dark (t)', 'aria-label': 'light or dark', onclick: () => setTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark')}, '◐'),
      el('button', {class: 'icon', type: 'button', title: 'keys (?)', 'aria-label': 'keys', onclick: () => help.showModal()}, '?'))),
  el('main', {}, el('nav', {'aria-label': 'findings'}, tabs, list), view), help);

document.addEventListener('keydown', e => {
  if (e.target.matches('input, select, textarea')) { if (e.key === 'Escape') e.target.blur(); return; }
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const keys = {j: () => step(1), k: () => step(-1), o: () => state.picked >= 0 && toggle(state.picked), '/': () => search.focus(), h: () => { state.file = null; draw(); },
    t: () => setTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'), '?': () => help.showModal(), 1: () => toggleLevel('error'), 2: () => toggleLevel('warning'), 3: () => toggleLevel('note')};
  if (keys[e.key]) { e.preventDefault(); keys[e.key](); }
});
function measure() { view.style.setProperty('--visible', view.clientWidth + 'px'); drawRows(); }
addEventListener('resize', measure);
measure();
const asked = /^#f(\d+)$/.exec(location.hash);
draw();
if (asked && all[asked[1]]) pick(all[asked[1]]);
else if (Object.keys(data.sources).length === 1 && all.length) { /* one file: its annotated source is what there is to see */
  state.file = Object.keys(data.sources)[0];
  if (order[0].file === state.file) { state.open.add(order[0].id); state.picked = order[0].id; }
  draw();
}
if (data.allocation) document.body.classList.add('plain');

/* On paper nothing can be clicked: the overview, then each file's findings, opened, between the lines that they are
 * about, in light colours. Of very many the first are opened. */
const MOST_OPEN = 300;
let before = null;
addEventListener('beforeprint', () => {
  if (data.allocation || before) return;
  before = {file: state.file, open: state.open, folded: state.folded, theme: document.documentElement.dataset.theme};
  Object.assign(state, {file: null, folded: new Set(), open: new Set(kernels.slice(0, MOST_OPEN).map((k, i) => 'k' + i))});
  onPaper = true;
  wearTheme('light');
  drawSource();
  const pages = [...view.childNodes];
  state.open = new Set(shown.slice(0, MOST_OPEN).map(f => f.id));
  for (state.file of new Set(shown.map(f => f.file))) {
    drawSource();
    pages.push(...view.childNodes);
  }
  view.replaceChildren(...pages);
});
addEventListener('afterprint', () => {
  if (!before) return;
  wearTheme(before.theme);
  Object.assign(state, {file: before.file, open: before.open, folded: before.folded});
  before = null;
  onPaper = false;
  draw();
});
document.documentElement.dataset.ready = String(all.length);
})();
