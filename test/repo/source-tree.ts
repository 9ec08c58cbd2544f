// What the repository's own checks read: the files of src and their syntax trees, parsed by the compiler itself.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { SyntaxKind, type Node, type SourceFile } from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/sync';
import { moduleGroups } from './architecture-rules.js';

/** One import or re-export, with its target as a path in the repository when it is one of our files. */
export interface ImportLine {
  readonly line: number;
  readonly specifier: string;
  /** `src/base/index.ts`; undefined for a package. */
  readonly target: string | undefined;
}

/** One source file. `path` is relative to the repository, with `/`. */
export interface SourceText {
  readonly path: string;
  readonly text: string;
  readonly numLines: number;
  readonly imports: readonly ImportLine[];
  readonly root: SourceFile;
}

/** A rule that a file breaks, printed as `path:line what`. */
export type Offence = string;

const root = process.cwd();
/** Pages have their own projects: their files are for browsers. */
const projects = [
  'tsconfig.json',
  ...['kit', 'chat', 'admin', 'operator', 'account'].map((name) => `src/pages/${name}/tsconfig.json`),
];

/** Paths below `directory` that end in `extension`, sorted, relative to the repository, with `/`. */
export function listFiles(directory: string, extension: string): string[] {
  return (
    readdirSync(join(root, directory), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(extension))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
      // Packages with a lockfile of their own lie below test.
      .filter((path) => !path.includes('/node_modules/'))
      .toSorted()
  );
}

/** Names of the modules: the folders of `src`, and those of a group such as `pages` with the name of the group before. */
export function listModules(): string[] {
  const foldersOf = (path: string): string[] =>
    readdirSync(join(root, path), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  return foldersOf('src').flatMap((name) =>
    moduleGroups.includes(name) ? foldersOf(`src/${name}`).map((inner) => `${name}/${inner}`) : [name],
  );
}

/** Parses every `.ts` and `.tsx` file of the directories. Throws when the compiler did not see one that is on disk. */
export function readSourceTree(directories: readonly string[]): SourceText[] {
  const api = new API({ cwd: root });
  try {
    const programs = projects.map((project) => {
      const opened = api.updateSnapshot({ openProject: join(root, project) }).getProjects();
      const program = opened.find(({ configFileName }) => configFileName === join(root, project))?.program;
      if (program === undefined) throw new Error(`the compiler did not open ${project}`);
      return program;
    });
    return directories
      .flatMap((directory) => ['.ts', '.tsx'].flatMap((extension) => listFiles(directory, extension)))
      .map((path) => {
        const parsed = programs.map((program) => program.getSourceFile(join(root, path))).find(Boolean);
        if (parsed === undefined) throw new Error(`${path} is on disk, but the compiler did not see it`);
        return toSourceText(path, parsed);
      });
  } finally {
    api.close();
  }
}

function toSourceText(path: string, parsed: SourceFile): SourceText {
  const text = readFileSync(join(root, path), 'utf8');
  const imports: ImportLine[] = [];
  visit(parsed, (node) => {
    const specifier = specifierOf(node);
    if (specifier === undefined) return;
    imports.push({ line: lineOf(text, node), specifier, target: resolveImport(path, specifier) });
  });
  return { path, text, numLines: text.split('\n').length - 1, imports, root: parsed };
}

/** Calls `see` for every node of a tree, parents first. */
export function visit(node: Node, see: (node: Node) => void): void {
  node.forEachChild((child) => {
    see(child);
    visit(child, see);
    return undefined;
  });
}

/** The line of a node's first character that is no white space or comment before it, from 1. */
export function lineOf(text: string, node: Node): number {
  return text.slice(0, node.getStart()).split('\n').length;
}

/** The text between the quotes of an import, a re-export, `import()`, `import('x').T` or `new URL('x', import.meta.url)`. */
function specifierOf(node: Node): string | undefined {
  const text = node.getText();
  switch (node.kind) {
    case SyntaxKind.ImportDeclaration:
    case SyntaxKind.ExportDeclaration:
      return /(?:from|import)\s*['"]([^'"]+)['"]\s*;?$/.exec(text)?.[1];
    case SyntaxKind.ImportType:
    case SyntaxKind.CallExpression:
      return /^import\(\s*['"]([^'"]+)['"]/.exec(text)?.[1];
    case SyntaxKind.NewExpression:
      return /^new URL\(\s*['"](\.[^'"]+\.js)['"]\s*,\s*import\.meta\.url/.exec(text)?.[1];
    default:
      return undefined;
  }
}

function resolveImport(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  const target = relative(root, resolve(root, dirname(from), specifier));
  const source = target.split(sep).join('/').replace(/\.js$/, '.ts');
  return source.endsWith('.ts') && !existsSync(join(root, source)) && existsSync(join(root, `${source}x`))
    ? `${source}x`
    : source;
}
