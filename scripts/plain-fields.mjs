/**
 * Rewrites private fields as plain ones in a bundle without importers: until V8 has optimized a function, each access to a
 * private one is a lookup by key and each call of a private method a check of the receiver's brand.
 */

/** A plugin for Rolldown. Every class has names of its own, so that a subclass may use those of its parent. */
export const plainFields = {
  name: 'plain-fields',
  renderChunk(code) {
    const edits = [];
    let classes = 0;
    const visit = (node, scopes) => {
      if (Array.isArray(node)) {
        for (const each of node) visit(each, scopes);
        return;
      }
      if (typeof node?.type !== 'string') return;
      let inner = scopes;
      if (node.type === 'ClassBody') {
        const number = classes++;
        const names = node.body.flatMap(({ key }) => (key?.type === 'PrivateIdentifier' ? [key.name] : []));
        inner = [new Map(names.map((name) => [name, `$${number}_${name}`])), ...scopes];
      }
      if (node.type === 'PrivateIdentifier') {
        const name = scopes.find((scope) => scope.has(node.name))?.get(node.name);
        edits.push({ from: node.start, to: node.end, name });
        return;
      }
      for (const value of Object.values(node)) if (typeof value === 'object') visit(value, inner);
    };
    visit(this.parse(code), []);
    let plain = '';
    let at = 0;
    for (const { from, to, name } of edits.toSorted((a, b) => a.from - b.from)) {
      plain += code.slice(at, from) + name;
      at = to;
    }
    return plain + code.slice(at);
  },
};
