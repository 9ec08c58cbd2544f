// The checks of test/architecture.test.ts as functions over source files, so that each can be shown to find its offence.
import { basename, dirname } from 'node:path';
import { type Node, SyntaxKind } from 'typescript/unstable/ast';
import {
  allowedImports,
  clockFiles,
  compositionRoots,
  emptyNames,
  inventedWords,
  MIN_SEPARATE_LINES,
  moduleGroups,
  namesakeFolders,
  namesakes,
  processFiles,
  registryNames,
  separateFiles,
} from './architecture-rules.js';
import { lineOf, type Offence, type SourceText, visit } from './source-tree.js';

/** What the checks of imports and names look at. */
export type Importer = Pick<SourceText, 'path' | 'imports'>;
/** What the check of sizes looks at besides. */
export type SizedImporter = Importer & Pick<SourceText, 'text' | 'numLines'>;

/** The module of a path such as `src/model/rope.ts` or `src/pages/kit/index.ts`; '' for a file of src itself. */
export function moduleOf(path: string): string {
  const [, first = '', second = '', ...rest] = path.split('/');
  if (second === '') return '';
  return moduleGroups.includes(first) && rest.length > 0 ? `${first}/${second}` : first;
}

/** Imports between modules that are not in the table of allowed imports, and modules that are not in it. */
export function findWrongImports(files: readonly Importer[]): Offence[] {
  return files.flatMap(({ path, imports }) => {
    const module = moduleOf(path);
    if (module === '' || compositionRoots.includes(module)) return [];
    const allowed = allowedImports[module];
    if (allowed === undefined) return [`${path}:1 module ${module} is not in the table of allowed imports`];
    return imports.flatMap(({ line, target }) => {
      const to = target?.startsWith('src/') ? moduleOf(target) : module;
      if (to === module || to === 'base' || allowed.includes(to)) return [];
      return [`${path}:${line} ${module} may not import ${to === '' ? 'src/index.ts' : to}`];
    });
  });
}

/** Imports that the table allows a module and that none of its files has: an arrow that nothing follows invites a wrong one. */
export function findUnusedAllowances(files: readonly Importer[]): Offence[] {
  return Object.entries(allowedImports).flatMap(([module, allowed]) => {
    const own = files.filter(({ path }) => moduleOf(path) === module);
    // A module that is to come.
    if (own.length === 0) return [];
    const used = new Set(own.flatMap(({ imports }) => imports.map(({ target = '' }) => moduleOf(target))));
    return allowed
      .filter((to) => !used.has(to))
      .map((to) => `test/repo/architecture-rules.ts:1 ${module} may import ${to} and does not`);
  });
}

/**
 * Imports of another module's inside instead of its `index.ts`, by anyone. A product's table of error codes is made of the
 * files that declare them: an error must not load modules.
 */
export function findImportsPastEntries(files: readonly Importer[]): Offence[] {
  return files.flatMap(({ path, imports }) =>
    imports.flatMap(({ line, target }) => {
      if (target === undefined || !target.startsWith('src/')) return [];
      const to = moduleOf(target);
      if (to === moduleOf(path) || to === '' || target === `src/${to}/index.ts`) return [];
      if (/^src\/bin\/[\w-]+\/codes\.ts$/.test(path) && target === `src/${to}/errors.ts`) return [];
      return [`${path}:${line} imports ${target} past the entry src/${to}/index.ts`];
    }),
  );
}

/** Imports of files that are not there. */
export function findMissingTargets(files: readonly Importer[]): Offence[] {
  const known = new Set(files.map(({ path }) => path));
  return files.flatMap(({ path, imports }) =>
    imports
      .filter(({ target }) => target?.startsWith('src/') && /\.tsx?$/.test(target) && !known.has(target))
      .map(({ line, target }) => `${path}:${line} imports ${target}, which is not there`),
  );
}

/** Cycles of imports: between files, or between modules when `nodeOf` is `moduleOf`. */
export function findCycles(files: readonly Importer[], nodeOf: (path: string) => string): Offence[] {
  const edges = new Map<string, Set<string>>();
  for (const { path, imports } of files) {
    const targets = edges.get(nodeOf(path)) ?? new Set();
    edges.set(nodeOf(path), targets);
    for (const { target } of imports) {
      if (target?.startsWith('src/') && nodeOf(target) !== nodeOf(path)) targets.add(nodeOf(target));
    }
  }
  const finished = new Set<string>();
  const cycles: Offence[] = [];
  const walk = (node: string, trail: readonly string[]): void => {
    if (trail.includes(node)) {
      cycles.push([...trail.slice(trail.indexOf(node)), node].join(' → '));
      return;
    }
    if (finished.has(node)) return;
    for (const target of edges.get(node) ?? []) walk(target, [...trail, node]);
    finished.add(node);
  };
  for (const node of edges.keys()) walk(node, []);
  return cycles;
}

/** Files on a registry that its `index.ts` does not import, and registries without one. */
export function findUnlisted(files: readonly Importer[]): Offence[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  return files.flatMap(({ path }) => {
    const registry = dirname(path);
    if (!registryNames.includes(basename(registry)) || path === `${registry}/index.ts`) return [];
    const list = byPath.get(`${registry}/index.ts`);
    if (list === undefined) return [`${path}:1 is in the registry ${registry}, which has no index.ts`];
    return list.imports.some(({ target }) => target === path) ? [] : [`${path}:1 is not listed in ${list.path}`];
  });
}

/** An exported declaration at the beginning of a line, with its name. */
const EXPORTED =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|interface|type|const|let) (\w+)(?=[\s<(:;=])/gm;

/** Whether the names that a file exports are compared: entries of registries, tasks of threads and pages repeat names by design. */
function declaresNames(path: string): boolean {
  if (path.startsWith('src/pages/') || path.endsWith('-thread.ts')) return false;
  return !dirname(path)
    .split('/')
    .some((folder) => registryNames.includes(folder) || namesakeFolders.includes(folder));
}

/** Exported names that several modules declare without a reason, and reasons that no name needs. */
export function findRepeatedNames(files: readonly Pick<SourceText, 'path' | 'text'>[]): Offence[] {
  const byName = new Map<string, Map<string, string>>();
  for (const { path, text } of files.filter((file) => declaresNames(file.path))) {
    for (const [, name = ''] of text.matchAll(EXPORTED)) {
      const modules = byName.get(name) ?? new Map<string, string>();
      byName.set(name, modules.set(moduleOf(path), path));
    }
  }
  const known = new Set(namesakes.flatMap(({ names }) => names));
  const repeated = [...byName].filter(([, modules]) => modules.size > 1);
  const stale = [...known].filter((name) => !repeated.some(([each]) => each === name));
  return [
    ...repeated
      .filter(([name]) => !known.has(name))
      .map(([name, modules]) => `${name} is declared in ${[...modules.values()].join(' and ')}`),
    ...stale.map((name) => `test/repo/architecture-rules.ts:1 ${name} has a reason to be repeated and is not`),
  ];
}

/** Files and folders whose name does not say what is in them. */
export function findEmptyNames(files: readonly Importer[]): Offence[] {
  return files.flatMap(({ path }) => {
    const names = path
      .replace(/\.tsx?$/, '')
      .split('/')
      .slice(1);
    const found = names.find((name) => emptyNames.includes(name));
    return found === undefined ? [] : [`${path}:1 the name ${found} says nothing`];
  });
}

/**
 * Files that belong into their only user, a sibling, and exceptions that are none. Separate by their kind are entries of threads,
 * files that are loaded when they are needed, and parts of a page without a view, which run without a browser.
 */
export function findSmallParts(files: readonly SizedImporter[], exceptions = separateFiles): Offence[] {
  const users = new Map<string, Set<SizedImporter>>();
  for (const file of files) {
    for (const { target = '' } of file.imports) users.set(target, (users.get(target) ?? new Set()).add(file));
  }
  const small = files.flatMap(({ path, numLines }) => {
    const [user, ...others] = users.get(path) ?? [];
    const isPart =
      numLines < MIN_SEPARATE_LINES &&
      user !== undefined &&
      others.length === 0 &&
      dirname(user.path) === dirname(path) &&
      !['index.ts', 'errors.ts'].includes(basename(path)) &&
      basename(user.path) !== 'index.ts' &&
      !/-(?:thread|main|child|actor)\.ts$/.test(path) &&
      !(path.endsWith('.ts') && user.path.endsWith('.tsx')) &&
      !isLoadedLate(user, path);
    return isPart ? [{ path, user: user.path }] : [];
  });
  const stale = Object.keys(exceptions).filter((path) => !small.some((each) => each.path === path));
  return [
    ...small
      .filter(({ path }) => !Object.hasOwn(exceptions, path))
      .map(({ path, user }) => `${path}:1 is short, and only ${basename(user)} uses it; merge it, or give the reason`),
    ...stale.map((path) => `${path}:1 has a reason to be separate and needs none`),
  ];
}

/** Whether `user` loads the file by `import()` or names it for a thread. */
function isLoadedLate({ text, imports }: SizedImporter, path: string): boolean {
  return imports.some(
    ({ target, specifier }) =>
      target === path && (text.includes(`import('${specifier}')`) || text.includes(`new URL('${specifier}'`)),
  );
}

/** Documents that a text names and the repository does not have, and words that the field has others for. */
export function findForeignWords(path: string, text: string, documents: readonly string[]): Offence[] {
  return text.split('\n').flatMap((line, index) => {
    const comment = /^\s*(?:\/\/|\/?\*)(.*)$|\s\/\/ (.*)$/.exec(line);
    const said = comment?.[1] ?? comment?.[2];
    if (said === undefined) return [];
    const cited = [...said.matchAll(/[\w-]+\.md\b/g)].map(([name]) => name).filter((name) => !documents.includes(name));
    const invented = [...inventedWords].filter(([word]) => word.test(said));
    return [
      ...cited.map((name) => `${path}:${index + 1} cites ${name}, which is not in the repository`),
      ...invented.map(([word, term]) => `${path}:${index + 1} ${word.exec(said)?.[0]}: say ${term}`),
    ];
  });
}

/** Uses of the process' environment, exit and output outside of `cli` and `bin`. */
export function findProcessUse(files: readonly SourceText[]): Offence[] {
  return files
    .filter(({ path }) => !['bin', 'cli'].includes(moduleOf(path)) && !Object.hasOwn(processFiles, path))
    .flatMap(({ path, text, root }) => {
      const offences: Offence[] = [];
      visit(root, (node) => {
        if (node.kind !== SyntaxKind.PropertyAccessExpression) return;
        const use = /^(?:globalThis\.)?(process\.(?:env|exit|exitCode|argv|stdin|stdout|stderr)|console\.\w+)$/.exec(
          node.getText(),
        );
        if (use) offences.push(`${path}:${lineOf(text, node)} ${use[1]} belongs to cli or bin`);
      });
      return offences;
    });
}

/** Uses of the machine's time and timers past the named clock, and reasons that no file needs. */
export function findClockUse(files: readonly SourceText[]): Offence[] {
  const used = new Set<string>();
  const offences = files.flatMap(({ path, text, root }) => {
    const reason = Object.keys(clockFiles).find(
      (place) => path === place || (place.endsWith('/') && path.startsWith(place)),
    );
    const found: Offence[] = [];
    visit(root, (node) => {
      const use = clockUseOf(node);
      if (use === undefined) return;
      if (reason === undefined) found.push(`${path}:${lineOf(text, node)} ${use} goes past base/clock.ts`);
      else used.add(reason);
    });
    return found;
  });
  const stale = Object.keys(clockFiles).filter((place) => !used.has(place));
  return [...offences, ...stale.map((place) => `${place}:1 has a reason to go past base/clock.ts and does not`)];
}

/** `Date.now` and its like, a timer that is called or imported, a date of now; undefined for anything else. */
function clockUseOf(node: Node): string | undefined {
  const text = node.getText();
  if (node.kind === SyntaxKind.PropertyAccessExpression) {
    return /^(?:globalThis\.)?(?:Date\.now|performance\.now|process\.hrtime)$/.test(text) ? text : undefined;
  }
  if (node.kind === SyntaxKind.CallExpression) return /^(?:setTimeout|setInterval)(?=\()/.exec(text)?.[0];
  if (node.kind === SyntaxKind.NewExpression) return /^new Date(?:\(\))?$/.test(text) ? text : undefined;
  if (node.kind === SyntaxKind.ImportSpecifier) return /^(?:setTimeout|setInterval)\b/.exec(text)?.[0];
  return undefined;
}

/** What the compiler allows and this project does not: any, `!`, enum, default export, a comment that silences a tool. */
export function findForbiddenSyntax(files: readonly SourceText[]): Offence[] {
  const kinds = new Map<SyntaxKind, string>([
    [SyntaxKind.AnyKeyword, 'any'],
    [SyntaxKind.NonNullExpression, '! after an expression'],
    [SyntaxKind.EnumDeclaration, 'enum'],
    [SyntaxKind.ExportAssignment, 'default export'],
    [SyntaxKind.DefaultKeyword, 'default export'],
  ]);
  return files.flatMap(({ path, text, root }) => {
    const offences: Offence[] = [];
    visit(root, (node) => {
      const name = kinds.get(node.kind);
      if (name !== undefined) offences.push(`${path}:${lineOf(text, node)} ${name}`);
      if (/^\w+ as unknown as /.test(node.getText()) && node.kind === SyntaxKind.AsExpression) {
        offences.push(`${path}:${lineOf(text, node)} a cast through unknown`);
      }
    });
    text.split('\n').forEach((line, i) => {
      const silencer = /@ts-(?:ignore|expect-error|nocheck)|(?:ox|es)lint-disable|\b(?:TOD[O]|FIXM[E]|XX[X])\b/.exec(
        line,
      );
      if (silencer) offences.push(`${path}:${i + 1} ${silencer[0]}`);
    });
    return offences;
  });
}
