/** The frame and the style of reports as HTML files: no scripts, no other files. Pure. */
import { escapeHtml, visible } from './visible.js';

/** A server names its hash in their content policy. */
export const REPORT_STYLE =
  ':root{color-scheme:light dark;--ink:#1c2028;--muted:#5b6372;--line:#dcdfe6;--card:#fff;--ground:#f5f6f8;--fail:#b91f24;--warn:#855400;--pass:#176f3f;--accent:#2458d6;--on-accent:#fff;--band:#e5f5ec}' +
  '@media (prefers-color-scheme:dark){:root{--ink:#e8eaf0;--muted:#a3a9b8;--line:#343a46;--card:#1d2027;--ground:#14161b;--fail:#ff8585;--warn:#f0b645;--pass:#57cc8f;--accent:#7aa2ff;--on-accent:#10131a;--band:#16301f}}' +
  '*{box-sizing:border-box}body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}' +
  'header{background:var(--card);border-bottom:1px solid var(--line)}header div{max-width:64rem;margin:0 auto;padding:.65rem 1rem;display:flex;align-items:center;gap:.5rem;font-size:1.1rem;font-weight:700}.logo{fill:var(--accent)}.door{fill:var(--on-accent)}' +
  'main{max-width:64rem;margin:0 auto;padding:1.4rem 1rem 2rem}h1{margin:0;font-size:1.6rem;line-height:1.25}h2{margin:0 0 .6rem;font-size:1.1rem}' +
  '.top{display:flex;flex-wrap:wrap;gap:1rem;justify-content:space-between;align-items:flex-start;margin-bottom:1rem}.top>div{flex:1 1 18rem}.top img{width:15rem;max-width:100%;border-radius:8px}' +
  '.muted{color:var(--muted);margin:.2rem 0}section{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:1rem 1.2rem;margin:0 0 1rem}' +
  '.verdict{border-left:4px solid currentColor;font-size:1.1rem;font-weight:600}.pass{color:var(--pass)}.warn{color:var(--warn)}.fail{color:var(--fail)}' +
  'table{border-collapse:collapse;width:100%}td,th{border-top:1px solid var(--line);padding:.45rem .6rem .45rem 0;text-align:left;vertical-align:top;font-variant-numeric:tabular-nums}' +
  'tr:first-child>*{border-top:0}th{color:var(--muted);font-weight:600;font-size:.85rem;white-space:nowrap}.wide td{overflow-wrap:break-word}.wide{overflow-x:auto}ol,ul{margin:0;padding-left:1.3rem}li{margin:.3rem 0}' +
  'b{font-weight:600}small{color:var(--muted)}code{font-family:ui-monospace,monospace;font-size:.9em}' +
  '.cols{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,22rem),1fr));gap:0 1rem}.cols>*{min-width:0}' +
  'figure{margin:0 0 .9rem}figcaption{font-size:.85rem}.plot{display:flex;gap:.4rem}.axis{flex:none;width:5rem;white-space:nowrap;display:flex;flex-direction:column;justify-content:space-between;text-align:right;font-size:.75rem;line-height:1;color:var(--muted)}.plot svg{flex:1;min-width:0;height:4.5rem;background:var(--ground)}' +
  '.times{display:flex;justify-content:space-between;margin-left:5.4rem;font-size:.75rem;color:var(--muted)}.band{fill:var(--band)}.line{fill:none;stroke:var(--accent);stroke-width:1.5;vector-effect:non-scaling-stroke}' +
  '.strip{display:block;width:100%;min-width:8rem;height:.7rem;margin:.35rem 0;background:var(--ground)}.strip .fail{fill:var(--fail)}.strip .warn{fill:var(--warn)}' +
  '@media (max-width:40rem){.rules tr:first-child{display:none}.rules td{display:block;border:0;padding:.15rem 0}.rules tr{display:block;border-top:1px solid var(--line);padding:.4rem 0}.rules td:last-child::before{content:"Times: "}}' +
  '@page{size:A4;margin:11mm}@media print{:root{color-scheme:light;--ink:#000;--muted:#444;--line:#bbb;--card:#fff;--ground:#f2f2f2;--fail:#b91f24;--warn:#855400;--pass:#176f3f;--accent:#2458d6;--on-accent:#fff;--band:#e5f5ec;font-size:10px}body{font-size:1rem;background:#fff;print-color-adjust:exact}' +
  'header{border:0}header div,main{max-width:none;padding:0 0 .6rem}section{break-inside:avoid;padding:.8rem 1.2rem;margin-bottom:.9rem}h2{margin-bottom:.4rem}td,th{padding-top:.3rem;padding-bottom:.3rem}.top{margin-bottom:.5rem}.top img{width:17rem}section:has(.rules){break-inside:auto}.rules tr{break-inside:avoid}.second{break-before:page}.cols{grid-template-columns:1fr 1fr}.plot svg{height:7rem}.wide{overflow:visible}}';

const LOGO =
  '<svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true"><rect class="logo" x="2" y="2" width="28" height="28" rx="8"/><path class="door" d="M9 16a7 7 0 0 1 14 0v7h-4v-7a3 3 0 0 0-6 0v7H9z"/><circle class="door" cx="16" cy="19.5" r="1.75"/></svg>';

/** Untrusted text between tags. */
export const shown = (text: string): string => escapeHtml(visible(text));

/** A whole document. `main`: HTML. */
export function reportPage(title: string, main: readonly string[]): string {
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${shown(title)}</title><style>${REPORT_STYLE}</style>`;
  return `<!doctype html>\n<html lang="en">\n<head>${head}</head>\n<body>\n<header><div>${LOGO} Airlock</div></header>\n<main>\n${main.join('\n')}\n</main>\n</body>\n</html>\n`;
}
