// Lines over time, or over other places, as SVG, one panel under the other, without a library.
const WIDTH = 900;
const PANEL = 190;
const LEFT = 80;
const RIGHT = 20;
const TOP = 34;
const BOTTOM = 26;
const COLORS = ['#1f77b4', '#d62728', '#2ca02c', '#9467bd', '#ff7f0e'];

const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const text = (words) => String(words).replace(/[&<>"]/g, (sign) => escapes[sign]);

/** 1, 2 or 5 times a power of ten, so that there are about `count` of them up to the end. */
function stepOf(end, count) {
  const rough = end / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough);
}

const marks = (end, count) => {
  const step = stepOf(end, count);
  return Array.from({ length: Math.floor(end / step + 1e-9) + 1 }, (_, i) => Number((i * step).toPrecision(6)));
};

const minutesOf = (lastSecond) =>
  marks(lastSecond / 60, 8).map((minute) => ({ at: minute * 60, name: `${minute} min` }));

/**
 * `panels`: `{ title, series: [{ name, values }] }`; `times` in seconds, as long as each series; `names` of them, in place of
 * minutes. Every panel begins at 0, so that growth looks as large as it is.
 */
export function svg({ title, times, names, panels }) {
  const height = TOP + panels.length * PANEL;
  const last = Math.max(...times, 1);
  const x = (at) => LEFT + (at / last) * (WIDTH - LEFT - RIGHT);
  const places = names?.map((name, i) => ({ at: times[i], name })) ?? minutesOf(last);
  const out = panels.map((panel, at) => drawPanel(panel, TOP + at * PANEL, times, places, x));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">
<title>${text(title)}</title>
<rect width="${WIDTH}" height="${height}" fill="white"/>
<text x="${LEFT}" y="20" font-size="15">${text(title)}</text>
${out.join('\n')}
</svg>
`;
}

function drawPanel({ title, series }, top, times, places, x) {
  const floor = top + PANEL - BOTTOM;
  const ceiling = top + 24;
  const highest = Math.max(...series.flatMap(({ values }) => values), 1e-9);
  const y = (value) => floor - (value / (highest * 1.05)) * (floor - ceiling);
  const lines = marks(highest, 4).map(
    (value) =>
      `<path d="M${LEFT} ${y(value).toFixed(1)}H${WIDTH - RIGHT}" stroke="#ddd"/>` +
      `<text x="${LEFT - 6}" y="${(y(value) + 4).toFixed(1)}" text-anchor="end">${value}</text>`,
  );
  const below = places.map(
    ({ at, name }) => `<text x="${x(at).toFixed(1)}" y="${floor + 15}" text-anchor="middle">${text(name)}</text>`,
  );
  const curves = series.map(({ values }, i) => {
    const points = values.map((value, at) => `${x(times[at]).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
    return `<polyline fill="none" stroke="${COLORS[i % COLORS.length]}" stroke-width="1.5" points="${points}"/>`;
  });
  const legend = series.map(
    ({ name }, i) =>
      `<text x="${LEFT + 200 + i * 130}" y="${top + 16}" fill="${COLORS[i % COLORS.length]}">${text(name)}</text>`,
  );
  const heading = `<text x="${LEFT}" y="${top + 16}">${text(title)}</text>`;
  return [heading, ...legend, ...lines, ...below, ...curves].join('\n');
}
