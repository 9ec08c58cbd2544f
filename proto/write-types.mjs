/** Types of the generated codecs: of each message as it is decoded, and as it may be given to be encoded. */

const SCALARS = {
  bool: 'boolean',
  string: 'string',
  bytes: 'Uint8Array',
  int64: 'number | bigint',
  uint64: 'number | bigint',
};

/** The text of messages.d.ts. */
export function writeTypes(protobuf, root, services) {
  const { Type, Enum, MapField } = protobuf;
  const lines = [
    '// Made by proto/build.mjs. Messages as they are decoded, and (Input) as they may be encoded.',
    '',
    '/** Writes and reads one kind of message. Errors of `decode`: whatever protobufjs throws. */',
    'export interface Codec<Message, Input> {',
    '  encode(message: Input): { finish(): Uint8Array };',
    '  decode(bytes: Uint8Array): Message;',
    '}',
    '',
    '/** A method as @grpc/grpc-js wants it. */',
    'export interface Method<RequestInput, Request, ResponseInput, Response> {',
    '  readonly path: string;',
    '  readonly requestStream: boolean;',
    '  readonly responseStream: boolean;',
    '  readonly requestSerialize: (value: RequestInput) => Buffer;',
    '  readonly requestDeserialize: (bytes: Buffer) => Request;',
    '  readonly responseSerialize: (value: ResponseInput) => Buffer;',
    '  readonly responseDeserialize: (bytes: Buffer) => Response;',
    '}',
    '',
  ];
  const flat = (type) => (type.parent instanceof Type ? `${flat(type.parent)}_${type.name}` : `${type.name}`);
  const isAmbiguous = new Map();
  const all = [];
  (function walk(namespace) {
    for (const object of namespace.nestedArray ?? []) {
      if (object instanceof Type || object instanceof Enum) {
        all.push(object);
        isAmbiguous.set(flat(object), isAmbiguous.has(flat(object)));
      }
      walk(object);
    }
  })(root);
  /** Names of two packages are distinguished by the last word of the package. */
  const nameOf = (type) => {
    const name = flat(type);
    if (isAmbiguous.get(name) !== true) return name;
    let space = type.parent;
    while (space instanceof Type) space = space.parent;
    return `${name}_${space.name}`;
  };
  const scalarOf = (type) => SCALARS[type] ?? 'number';
  const typeOf = (field, suffix) => {
    const { resolvedType } = field;
    if (resolvedType === null && field.type === 'bytes' && suffix !== '') return 'ArrayLike<number>';
    if (resolvedType === null) return scalarOf(field.type);
    return resolvedType instanceof Enum ? 'number' : `${nameOf(resolvedType)}${suffix}`;
  };
  /** What has no comment says what its name says, and a field of a message what that message is. */
  const comment = (object, indent, type) => {
    const words = object.name
      .replaceAll('_', ' ')
      .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
      .toLowerCase();
    const text = object.comment || type?.comment || `${words[0].toUpperCase()}${words.slice(1)}.`;
    return [`${indent}/** ${text.replaceAll('\n', ' ')} */`];
  };
  for (const object of all) {
    if (object instanceof Enum) {
      const values = Object.entries(object.values).flatMap(([name, number]) => [
        ...comment({ name, comment: object.comments[name] }, '  '),
        `  readonly ${name}: ${number};`,
      ]);
      lines.push(...comment(object, ''), `export interface ${nameOf(object)}Values {`, ...values, '}', '');
      continue;
    }
    for (const suffix of ['', 'Input']) {
      lines.push(...comment(object, ''), `export interface ${nameOf(object)}${suffix} {`);
      for (const field of object.fieldsArray) {
        const one = typeOf(field, suffix);
        lines.push(...comment(field, '  ', field.resolvedType));
        const isMap = field instanceof MapField;
        const isNumbers = one === 'number' && suffix !== '';
        const whole = isMap
          ? `Readonly<Record<string, ${one}>>`
          : field.repeated && isNumbers
            ? 'ArrayLike<number>'
            : field.repeated
              ? `readonly ${one.includes(' ') ? `(${one})` : one}[]`
              : one;
        const mayBeNull =
          !isMap && !field.repeated && (field.partOf !== null || (/^[A-Z]/.test(one) && field.type !== 'bytes'));
        if (suffix === '') lines.push(`  readonly ${field.name}: ${whole}${mayBeNull ? ' | null' : ''};`);
        else lines.push(`  readonly ${field.name}?: ${whole} | null | undefined;`);
      }
      lines.push('}', '');
    }
  }
  const codecs = (namespace, indent) =>
    (namespace.nestedArray ?? []).flatMap((object) => {
      if (object instanceof protobuf.Service) return [];
      if (object instanceof Enum) return [`${indent}readonly ${object.name}: ${nameOf(object)}Values;`];
      const inner = codecs(object, `${indent}  `);
      const own = object instanceof Type ? `Codec<${nameOf(object)}, ${nameOf(object)}Input>` : '';
      if (inner.length === 0) return own === '' ? [] : [`${indent}readonly ${object.name}: ${own};`];
      return [`${indent}readonly ${object.name}: ${own === '' ? '' : `${own} & `}{`, ...inner, `${indent}};`];
    });
  for (const top of root.nestedArray) {
    lines.push(`export const ${top.name}: {`, ...codecs(top, '  '), '};', '');
  }
  lines.push('/** Methods by the full names of services. */', 'export const services: {');
  for (const service of services) {
    lines.push(`  readonly ${JSON.stringify(service.fullName.slice(1))}: {`);
    for (const { name, resolvedRequestType: asked, resolvedResponseType: told } of service.methodsArray) {
      const [request, response] = [nameOf(asked), nameOf(told)];
      lines.push(`    readonly ${name}: Method<${request}Input, ${request}, ${response}Input, ${response}>;`);
    }
    lines.push('  };');
  }
  lines.push('};', '');
  lines.push(
    '/** The .proto files by name: the bytes of their FileDescriptorProto, what they import, and what they declare. */',
    'export const files: Readonly<',
    '  Record<string, { readonly bytes: Buffer; readonly imports: readonly string[]; readonly symbols: readonly string[] }>',
    '>;',
    '',
  );
  return lines.join('\n');
}
