// The theme of VitePress without its fonts, which take a megabyte, and with the page for unknown addresses in a landmark.
import Theme from 'vitepress/theme-without-fonts';
import { h } from 'vue';
import './site.css';

const NotFound = () =>
  h('main', { class: 'vp-doc not-found' }, [
    h('h1', 'No such page'),
    h('p', ['Search for it, or see ', h('a', { href: '/help/' }, 'all documents'), '.']),
  ]);

export default {
  extends: Theme,
  Layout: () => h(Theme.Layout, null, { 'not-found': NotFound }),
};
