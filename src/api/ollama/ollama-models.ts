// Descriptions of models in Ollama's API. Source: ollama/ollama, api/types.go.
import { Type } from '../../schema/index.js';

const Text = Type.String();
const Count = Type.Integer();

/** Format, family and size of a model. */
const Details = Type.Object({
  parent_model: Text,
  format: Text,
  family: Text,
  families: Type.Array(Text),
  /** Such as `1.5B`. */
  parameter_size: Text,
  quantization_level: Text,
  context_length: Type.Optional(Count),
  embedding_length: Type.Optional(Count),
});
export type OllamaDetails = Type.Static<typeof Details>;

const modelFields = {
  name: Text,
  model: Text,
  /** Bytes: of a model's files, or of a loaded model in memory. */
  size: Count,
  /** 64 hex digits. */
  digest: Text,
  details: Details,
};

/** `GET /api/tags`. */
export const OllamaTags = Type.Object({ models: Type.Array(Type.Object({ ...modelFields, modified_at: Text })) });
export type OllamaTags = Type.Static<typeof OllamaTags>;

/** `GET /api/ps`: the loaded models, the last to expire first. */
export const OllamaLoaded = Type.Object({
  models: Type.Array(
    Type.Object({
      ...modelFields,
      expires_at: Text,
      /** Bytes in a graphics card's memory. */
      size_vram: Count,
      context_length: Count,
      /** Our extension: public keys, 64 hexadecimal digits each, whose signatures cover the loaded model. */
      signers: Type.Optional(Type.Array(Text)),
    }),
  ),
});
export type OllamaLoaded = Type.Static<typeof OllamaLoaded>;

/** `POST /api/show`. */
export const OllamaShowRequest = Type.Object({
  model: Type.Optional(Text),
  /** An older spelling of it. */
  name: Type.Optional(Text),
  /** Includes tokens and tensors. */
  verbose: Type.Optional(Type.Boolean()),
});
export type OllamaShowRequest = Type.Static<typeof OllamaShowRequest>;

/** `DELETE /api/delete`. */
export const OllamaDeleteRequest = Type.Object({
  model: Type.Optional(Text),
  /** An older spelling of it. */
  name: Type.Optional(Text),
});
export type OllamaDeleteRequest = Type.Static<typeof OllamaDeleteRequest>;

/** `POST /api/pull`. */
export const OllamaPullRequest = Type.Object({
  /** `org/name` of a hub, with `:quant` and `@revision`. */
  model: Type.Optional(Text),
  /** An older spelling of it. */
  name: Type.Optional(Text),
  /** False: one object at the end. */
  stream: Type.Optional(Type.Boolean()),
  /** Ignored: HF_ENDPOINT sets the hub. */
  insecure: Type.Optional(Type.Boolean()),
});
export type OllamaPullRequest = Type.Static<typeof OllamaPullRequest>;

/** Progress of a pull: one line of many. */
export const OllamaPullLine = Type.Object({
  status: Text,
  /** Of the present file. */
  digest: Type.Optional(Text),
  total: Type.Optional(Count),
  completed: Type.Optional(Count),
});
export type OllamaPullLine = Type.Static<typeof OllamaPullLine>;

/** `POST /api/copy`. */
export const OllamaCopyRequest = Type.Object({
  source: Text,
  destination: Text,
});
export type OllamaCopyRequest = Type.Static<typeof OllamaCopyRequest>;

/** Description of a model. */
export const OllamaShown = Type.Object({
  license: Type.Optional(Text),
  modelfile: Text,
  /** One option a line, with the authors' recommended value. */
  parameters: Text,
  /** Jinja's, not Go's. */
  template: Text,
  details: Details,
  /** By GGUF's keys; long lists are null unless the request is verbose. */
  model_info: Type.Record(Text, Type.Unknown()),
  capabilities: Type.Array(Type.Enum(['completion', 'tools', 'thinking', 'embedding'])),
  modified_at: Text,
  tensors: Type.Optional(Type.Array(Type.Object({ name: Text, type: Text, shape: Type.Array(Count) }))),
});
export type OllamaShown = Type.Static<typeof OllamaShown>;
