/** Completion scripts. Words of the program contain letters, digits and hyphens only; descriptions are quoted. */
import { allNodes, type CommandNode, wordOf } from './tree.js';

export function bashScript(tree: CommandNode): string {
  return `# Completion of airlock in bash.\n${bashFunction(tree)}complete -o default -F _airlock airlock\n`;
}

/** zsh runs the function of bash. */
export function zshScript(tree: CommandNode): string {
  return [
    '#compdef airlock',
    '# Completion of airlock in zsh.',
    'autoload -U +X bashcompinit && bashcompinit',
    `${bashFunction(tree)}complete -o default -F _airlock airlock`,
    '',
  ].join('\n');
}

/** Files are completed where the function offers nothing. */
function bashFunction(tree: CommandNode): string {
  const nodes = allNodes(tree);
  const commands = nodes.filter(({ path }) => path !== '').map(({ path }) => `"${path}"`);
  const words = nodes.map(
    ({ path, children, values, options }) =>
      `    "${path}") words="${[...children.map(wordOf), ...values].join(' ')}"; options="${options.map(({ flag }) => flag).join(' ')}" ;;`,
  );
  const values = nodes.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map((option) => `    "${path} ${option.flag}") words="${option.values.join(' ')}"; options=""; value=1 ;;`),
  );
  return `_airlock() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local path="" next="" words="" options="" value="" index
  for ((index = 1; index < COMP_CWORD; index++)); do
    next="\${path:+$path }\${COMP_WORDS[index]}"
    case "$next" in
    ${commands.join('|')}) path="$next" ;;
    esac
  done
  case "$path" in
${words.join('\n')}
  esac
  case "$path $previous" in
${values.join('\n')}
  esac
  if [[ -z "$value" && "$current" == -* ]]; then words="$options"; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
`;
}

export function fishScript(tree: CommandNode): string {
  const lines = ['# Completion of airlock in fish.', 'complete -c airlock -n __fish_use_subcommand -f'];
  for (const node of allNodes(tree)) {
    const condition = fishCondition(node);
    const line = (rest: string) => lines.push(`complete -c airlock -n '${condition}' ${rest}`);
    for (const child of node.children) line(`-f -a ${wordOf(child)} -d ${fishText(child.description)}`);
    if (node.values.length > 0) line(`-f -a '${node.values.join(' ')}'`);
    for (const { flag, description, takesValue, values } of node.options) {
      const value = values.length > 0 ? ` -x -a '${values.join(' ')}'` : takesValue ? ' -r' : '';
      line(`-l ${flag.slice(2)}${value} -d ${fishText(description)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

/** In this command, and in none of its subcommands. */
function fishCondition({ path, children }: CommandNode): string {
  if (path === '') return '__fish_use_subcommand';
  const seen = path.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
  const below = children.length === 0 ? [] : [`not __fish_seen_subcommand_from ${children.map(wordOf).join(' ')}`];
  return [...seen, ...below].join('; and ');
}

function fishText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
