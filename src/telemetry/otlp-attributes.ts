/** A value of an attribute. A whole number is sent as one. */
export type AttributeValue = string | number;

/** An attribute as OTLP's JSON has it. Source: opentelemetry-proto 1, common.proto. */
export interface OtlpAttribute {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly intValue: string } | { readonly doubleValue: number };
}

/** Attributes, without those that are undefined. */
export function toAttributes(values: Readonly<Record<string, AttributeValue | undefined>>): readonly OtlpAttribute[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: toValue(value) }],
  );
}

function toValue(value: AttributeValue): OtlpAttribute['value'] {
  if (typeof value === 'string') return { stringValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
