/**
 * FileDescriptorProto of each .proto file, as protoc would write it without source positions: for reflection. Written out,
 * since protobufjs's own makes one file of a package and leaves proto3's `optional` out. Source: google/protobuf/descriptor.proto.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Numbers of `FieldDescriptorProto.Type`. */
const TYPES = {
  double: 1,
  float: 2,
  int64: 3,
  uint64: 4,
  int32: 5,
  fixed64: 6,
  fixed32: 7,
  bool: 8,
  string: 9,
  bytes: 12,
  uint32: 13,
  sfixed32: 15,
  sfixed64: 16,
  sint32: 17,
  sint64: 18,
};
const [TYPE_MESSAGE, TYPE_ENUM] = [11, 14];
const [LABEL_OPTIONAL, LABEL_REPEATED] = [1, 3];

/**
 * Of each file, and of those of google.protobuf that they import: its name, bytes, imports, and the full names of what it
 * declares.
 */
export function describeFiles(protobuf, root, directory, files) {
  const { Writer, Type, Enum, Service, MapField } = protobuf;
  const isDeclared = (object) => object instanceof Type || object instanceof Enum || object instanceof Service;
  /** Which file declares what: each read alone. */
  const fileOf = new Map();
  for (const file of [...files, 'google/protobuf/any.proto', 'google/protobuf/duration.proto']) {
    const known = protobuf.common.get(file);
    const alone =
      known === null
        ? protobuf.parse(readFileSync(join(directory, file), 'utf8'), new protobuf.Root(), { keepCase: true }).root
        : protobuf.Root.fromJSON(known);
    (function note(namespace) {
      for (const object of namespace.nestedArray ?? []) {
        if (isDeclared(object)) fileOf.set(object.fullName, file);
        else note(object);
      }
    })(alone);
  }
  const nameOf = (object) => fileOf.get(object.fullName);
  const declared = new Map();
  (function walk(namespace) {
    for (const object of namespace.nestedArray ?? []) {
      if (isDeclared(object)) declared.set(nameOf(object), [...(declared.get(nameOf(object)) ?? []), object]);
      else walk(object);
    }
  })(root);

  const message = (writer, number, bytes) => writer.uint32((number << 3) | 2).bytes(bytes);
  const text = (writer, number, value) => writer.uint32((number << 3) | 2).string(value);
  const int = (writer, number, value) => writer.uint32(number << 3).int32(value);

  const describeEnum = (found) => {
    const writer = Writer.create();
    text(writer, 1, found.name);
    for (const [name, number] of Object.entries(found.values)) {
      message(writer, 2, int(text(Writer.create(), 1, name), 2, number).finish());
    }
    return writer.finish();
  };
  const jsonName = (name) => name.replaceAll(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());
  const entryName = (field) => {
    const words = field.name.split('_').map((word) => word[0].toUpperCase() + word.slice(1));
    return `${words.join('')}Entry`;
  };
  const typeOf = (field, type = field.type) => {
    if (TYPES[type] !== undefined) return { type: TYPES[type] };
    const { resolvedType } = field;
    return { type: resolvedType instanceof Enum ? TYPE_ENUM : TYPE_MESSAGE, typeName: resolvedType.fullName };
  };
  const describeField = ({ name, number, label, type, typeName, oneofIndex, isOptional = false }) => {
    const writer = Writer.create();
    text(writer, 1, name);
    int(writer, 3, number);
    int(writer, 4, label);
    int(writer, 5, type);
    if (typeName !== undefined) text(writer, 6, typeName);
    if (oneofIndex !== undefined) int(writer, 9, oneofIndex);
    text(writer, 10, jsonName(name));
    if (isOptional) writer.uint32(17 << 3).bool(true);
    return writer.finish();
  };
  const describeType = (found) => {
    const writer = Writer.create();
    text(writer, 1, found.name);
    // Those that `optional` makes come last.
    const oneofs = found.oneofsArray.toSorted((a, b) => Number(a.isProto3Optional) - Number(b.isProto3Optional));
    const entries = [];
    for (const field of found.fieldsArray) {
      const { name, id: number } = field;
      const at = oneofs.indexOf(field.partOf);
      let written = { name, number, label: field.repeated ? LABEL_REPEATED : LABEL_OPTIONAL, ...typeOf(field) };
      if (field instanceof MapField) {
        const entry = entryName(field);
        const key = describeField({ name: 'key', number: 1, label: LABEL_OPTIONAL, type: TYPES[field.keyType] });
        const value = describeField({ name: 'value', number: 2, label: LABEL_OPTIONAL, ...typeOf(field) });
        const options = Writer.create()
          .uint32(7 << 3)
          .bool(true)
          .finish();
        const nested = text(Writer.create(), 1, entry);
        message(message(message(nested, 2, key), 2, value), 7, options);
        entries.push(nested.finish());
        written = { name, number, label: LABEL_REPEATED, type: TYPE_MESSAGE, typeName: `${found.fullName}.${entry}` };
      }
      message(
        writer,
        2,
        describeField({
          ...written,
          ...(at !== -1 && { oneofIndex: at, isOptional: field.partOf.isProto3Optional }),
        }),
      );
    }
    for (const entry of entries) message(writer, 3, entry);
    for (const nested of found.nestedArray) {
      if (nested instanceof Enum) message(writer, 4, describeEnum(nested));
      else message(writer, 3, describeType(nested));
    }
    for (const oneof of oneofs) message(writer, 8, text(Writer.create(), 1, oneof.name).finish());
    return writer.finish();
  };
  const describeService = (found) => {
    const writer = Writer.create();
    text(writer, 1, found.name);
    for (const method of found.methodsArray) {
      const described = text(Writer.create(), 1, method.name);
      text(described, 2, method.resolvedRequestType.fullName);
      text(described, 3, method.resolvedResponseType.fullName);
      if (method.requestStream) described.uint32(5 << 3).bool(true);
      if (method.responseStream) described.uint32(6 << 3).bool(true);
      message(writer, 2, described.finish());
    }
    return writer.finish();
  };

  /** Files of what a type's fields are, besides its own. */
  const importsOf = (objects, own) => {
    const found = new Set();
    const add = (type) => void (type && nameOf(topOf(type)) !== own && found.add(nameOf(topOf(type))));
    const walk = (object) => {
      if (object instanceof Service) {
        for (const method of object.methodsArray) {
          add(method.resolvedRequestType);
          add(method.resolvedResponseType);
        }
      }
      for (const field of object.fieldsArray ?? []) add(field.resolvedType);
      for (const nested of object.nestedArray ?? []) walk(nested);
    };
    objects.forEach(walk);
    return [...found].toSorted((a, b) => (a < b ? -1 : 1));
  };
  const topOf = (type) => (type.parent instanceof Type ? topOf(type.parent) : type);
  const symbolsOf = (object) => [
    object.fullName.slice(1),
    ...(object.methodsArray ?? []).map((method) => `${object.fullName.slice(1)}.${method.name}`),
    ...(object.nestedArray ?? []).flatMap(symbolsOf),
  ];

  const wanted = [...files, ...[...declared.keys()].filter((name) => name.startsWith('google/protobuf/'))];
  return wanted.map((name) => {
    const objects = declared.get(name);
    if (objects === undefined) throw new Error(`${name} declares nothing`);
    const imports = importsOf(objects, name);
    const writer = Writer.create();
    text(writer, 1, name);
    text(writer, 2, objects[0].parent.fullName.slice(1));
    for (const other of imports) text(writer, 3, other);
    for (const object of objects) if (object instanceof Type) message(writer, 4, describeType(object));
    for (const object of objects) if (object instanceof Enum) message(writer, 5, describeEnum(object));
    for (const object of objects) if (object instanceof Service) message(writer, 6, describeService(object));
    text(writer, 12, 'proto3');
    return { name, bytes: Buffer.from(writer.finish()), imports, symbols: objects.flatMap(symbolsOf) };
  });
}
