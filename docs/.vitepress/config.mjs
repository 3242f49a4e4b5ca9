// The documents as a site, which the server serves at /help/: `npm run docs` (scripts/docs.mjs) builds it.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defineConfig } from 'vitepress';
import { BASE, emptyHeaders, FILES, isPage, onSite, REWRITES, ROOT, siteLinks, slug } from './links.mjs';
import { PARTS } from './parts.mjs';

const files = new Set();

const link = (path) => `/${onSite(path).replace(/(?:^|(?<=\/))index\.md$|\.md$/, '')}`;

const items = (pages) => pages.map(([text, path]) => ({ text, link: link(path) }));

/** Each page has the entries of its part beside it. The home page is last, since its address begins all others. */
const sidebar = Object.fromEntries(
  PARTS.flatMap(({ groups }) => {
    const entries = groups.map(({ title, pages }) => ({ text: title, items: items(pages) }));
    return groups.flatMap(({ pages }) => pages.map(([, path]) => [link(path), entries]));
  }).sort(([a], [b]) => b.length - a.length),
);

/** Everything that is no page: other projects' documents in folders of data, texts of fixtures. */
const excluded = [
  ...readdirSync(ROOT, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !['docs', 'bench', 'fixtures'].includes(entry.name))
    .map(({ name }) => `${name}/**`),
  ...['bench', 'fixtures'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name}`)
      .filter((path) => path.endsWith('.md') && !isPage(path)),
  ),
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md') && !isPage(name)),
];

/** What a policy without 'unsafe-inline' needs: the hash of each script within a page. */
function inlineScripts(folder) {
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));
  const hashes = pages.flatMap((name) =>
    [...readFileSync(join(folder, name), 'utf8').matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(
      ([, text]) => createHash('sha256').update(text).digest('base64'),
    ),
  );
  return [...new Set(hashes)].sort();
}

/** The licenses of the packages in the client's files, in the form in which Vite 8 writes those of the pages. */
function shippedLicenses() {
  const packages = new Map();
  return {
    name: 'shipped-licenses',
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        for (const id of Object.keys(chunk.modules ?? {})) {
          const [, folder] = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id) ?? [];
          if (folder === undefined || !existsSync(join(folder, 'package.json'))) continue;
          const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
          const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
          const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
          packages.set(`${name} - ${version} (${license})`, text);
        }
      }
    },
    write(outDir) {
      const sections = [...packages]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([title, text]) => `## ${title}\n\n${text}\n`);
      writeFileSync(join(outDir, 'licenses.md'), `# Licenses\n\n${sections.join('\n')}`);
    },
  };
}

/** Where each rule stands, by its code: `/help/rules/6208` leads there, whichever page it is on. */
function placesOfRules() {
  const pages = readdirSync(join(ROOT, 'docs/rules'));
  return Object.fromEntries(
    pages.flatMap((name) =>
      [...readFileSync(join(ROOT, 'docs/rules', name), 'utf8').matchAll(/^## ((\d{4}) .+)$/gm)].map(
        ([, title, code]) => [code, `${BASE}rules/${name.replace('.md', '')}#${slug(title)}`],
      ),
    ),
  );
}

const licenses = shippedLicenses();

export default defineConfig({
  title: 'Airlock',
  description: 'An RTMPS live ingest server with a stream validator, and the video service around it',
  lang: 'en',
  base: BASE,
  srcDir: '..',
  srcExclude: excluded,
  rewrites: REWRITES,
  cacheDir: '../node_modules/.cache/vitepress',
  cleanUrls: true,
  // The page would make an element of style for the moment of a switch, which the policy forbids.
  appearance: { disableTransition: false },
  metaChunk: true,
  markdown: {
    anchor: { slugify: slug },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (md) => {
      siteLinks(md, files);
      emptyHeaders(md);
    },
  },
  head: [['link', { rel: 'icon', href: `${BASE}favicon.svg`, type: 'image/svg+xml' }]],
  router: { prefetchLinks: false },
  themeConfig: {
    logo: '/favicon.svg',
    nav: [
      ...PARTS.map(({ title, groups }) => ({ text: title, link: link(groups[0].pages[0][1]) })),
      { text: 'Dashboard', link: '/../dashboard/', target: '_self' },
    ],
    sidebar,
    outline: [2, 3],
    // A heading with the code of a rule counts more than tables that list many codes.
    search: {
      provider: 'local',
      options: {
        miniSearch: { searchOptions: { boost: { title: 40, text: 1, titles: 1 }, fuzzy: 0.1, prefix: true } },
      },
    },
    docFooter: { prev: false, next: false },
  },
  // Pages of tables, and an index of them all, are large.
  vite: { logLevel: 'warn', build: { chunkSizeWarningLimit: 2_000 }, plugins: [licenses] },
  buildEnd({ outDir }) {
    for (const path of files) {
      mkdirSync(dirname(join(outDir, FILES, path)), { recursive: true });
      cpSync(join(ROOT, path), join(outDir, FILES, path));
    }
    cpSync(join(ROOT, 'src/dashboard/web/icons/favicon.svg'), join(outDir, 'favicon.svg'));
    licenses.write(outDir);
    writeFileSync(
      join(outDir, 'site.json'),
      JSON.stringify({ inlineScripts: inlineScripts(outDir), rules: placesOfRules() }),
    );
  },
});
