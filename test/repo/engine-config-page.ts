// The reference of engine.json, made from its schema.
import { EngineFile } from '../../src/server/config/engine-file.js';

interface Shape {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
}

/** A table of all fields. */
export function engineConfigTable(): string {
  const file = EngineFile as Shape;
  const rows = Object.entries(file.properties ?? {}).flatMap(([section, { properties = {}, required = [] }]) =>
    Object.entries(properties).map(([name, field]) => {
      const isNeeded = required.includes(name) && field.default === undefined;
      const value = isNeeded ? 'required' : field.default === undefined ? '–' : `\`${JSON.stringify(field.default)}\``;
      return `| \`${section}.${name}\` | ${toType(field)} | ${value} | ${field.description} |`;
    }),
  );
  return ['| field | type | default | what it says |', '|---|---|---|---|', ...rows].join('\n');
}

function toType({ type, enum: values, minimum, maximum }: Shape): string {
  if (values !== undefined) return values.map((value) => `\`${String(value)}\``).join(', ');
  if (type === 'integer') return `integer, ${minimum} to ${maximum}`;
  return type === 'array' ? 'list of strings' : String(type);
}
