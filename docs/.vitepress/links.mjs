// Where a relative link of a document leads on the site: to another page, to a copy of a file, or nowhere, since the site
// holds no sources and no folders.
import { readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';

export const ROOT = join(import.meta.dirname, '..', '..');
export const BASE = '/help/';
/** Folder of the copied files below the base. */
export const FILES = 'files';

/** Documents outside `docs/` that are pages too, by their path on the site. */
const OUTSIDE = {
  'README.md': 'start.md',
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
  'SECURITY.md': 'reporting.md',
  'bench/README.md': 'bench.md',
  'fixtures/README.md': 'streams.md',
};
const HOME = { 'docs/README.md': 'index.md' };

/** For VitePress: source path to path on the site. */
export const REWRITES = { ...OUTSIDE, ...HOME, 'docs/:path*': ':path*' };

/** Whether `path`, from the root of the repository, is a page. */
export const isPage = (path) => path in OUTSIDE || (path.startsWith('docs/') && path.endsWith('.md'));

/** `docs/obs.md` → `obs.md` */
export const onSite = (path) => OUTSIDE[path] ?? HOME[path] ?? path.slice('docs/'.length);

/** `obs.md` → `docs/obs.md`. The index of the search renders pages by their sources. */
function sourceOf(page) {
  if (isPage(page)) return page;
  const named = Object.entries({ ...OUTSIDE, ...HOME }).find(([, place]) => place === page);
  return named === undefined ? `docs/${page}` : named[0];
}

/** Anchors as GitHub makes them, so that a link works in both places. */
export const slug = (title) =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

const isFile = (path) => statSync(join(ROOT, path), { throwIfNoEntry: false })?.isFile() ?? false;

/** The title of a page, where a link shows the name of its file. */
function titleFor(shown, target) {
  if (!shown.endsWith('.md') || !target.endsWith(shown.replace(/^(?:\.\.\/)+/, ''))) return shown;
  return /^# (.+)$/m.exec(readFileSync(join(ROOT, target), 'utf8'))?.[1] ?? shown;
}

/** A plugin of markdown-it. Paths of files that a page links to are added to `files`. */
export function siteLinks(md, files) {
  md.core.ruler.push('site_links', ({ tokens, env }) => {
    const source = sourceOf(env.relativePath);
    const inline = tokens.flatMap(({ children }) => children ?? []);
    for (const [at, token] of inline.entries()) {
      if (token.type !== 'link_open') continue;
      const href = String(token.attrGet('href'));
      if (/^(?:[a-z]+:|#|\/)/.test(href)) continue;
      const [path = '', anchor] = href.split('#');
      const target = posix.normalize(posix.join(posix.dirname(source), path));
      if (isPage(target)) {
        token.attrSet('href', `/${onSite(target)}${anchor === undefined ? '' : `#${anchor}`}`);
        const text = inline[at + 1];
        if (text?.type === 'text') text.content = titleFor(text.content, target);
      } else {
        const isCopied = isFile(target) && !/^(?:src|test|scripts)\//.test(target);
        if (isCopied) files.add(target);
        token.type = 'html_inline';
        token.content = isCopied ? `<a href="${BASE}${FILES}/${target}" target="_blank">` : '<a>';
      }
    }
  });
}

/** A plugin of markdown-it: the empty heads of tables that only have rows are cells, which need no name. */
export function emptyHeaders(md) {
  md.core.ruler.push('empty_headers', ({ tokens }) => {
    tokens.forEach((token, at) => {
      if (token.type !== 'th_open' || tokens[at + 1].content !== '') return;
      token.tag = 'td';
      tokens[at + 2].tag = 'td';
    });
  });
}
