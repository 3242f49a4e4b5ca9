/** Commands, options and their values as plain data. */
import type { Command, Option } from 'commander';

export interface CommandNode {
  /** `live create`; empty for the program itself. */
  readonly path: string;
  readonly description: string;
  readonly children: readonly CommandNode[];
  readonly options: readonly OptionNode[];
  /** Values of the first argument, where they are fixed. */
  readonly values: readonly string[];
}

export interface OptionNode {
  readonly flag: string;
  readonly description: string;
  readonly takesValue: boolean;
  readonly values: readonly string[];
}

export function commandTree(program: Command): CommandNode {
  return nodeOf(program, '');
}

function nodeOf(command: Command, path: string): CommandNode {
  const children = command.commands
    .map((child) => nodeOf(child, path === '' ? child.name() : `${path} ${child.name()}`))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  return {
    path,
    description: command.description(),
    children,
    options: [
      ...command.options.flatMap(optionOf),
      { flag: '--help', description: 'display help', takesValue: false, values: [] },
    ],
    values: command.registeredArguments[0]?.argChoices ?? [],
  };
}

function optionOf(option: Option): OptionNode[] {
  if (option.long === undefined || option.long === null) return [];
  return [
    {
      flag: option.long,
      description: option.description,
      takesValue: option.required || option.optional,
      values: option.argChoices ?? [],
    },
  ];
}

/** The node and all below it. */
export function allNodes(node: CommandNode): CommandNode[] {
  return [node, ...node.children.flatMap(allNodes)];
}

/** The last word of the path. */
export function wordOf({ path }: CommandNode): string {
  return path.split(' ').at(-1) ?? '';
}
