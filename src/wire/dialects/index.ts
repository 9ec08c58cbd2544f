// The registry of wire dialects. One line for each.
import { chatCompletions } from './chat-completions.js';
import { grpcChat } from './grpc-chat.js';
import { messages } from './messages.js';
import { ollamaChat } from './ollama-chat.js';
import { ollamaGenerate } from './ollama-generate.js';
import { responses } from './responses.js';
import { textCompletions } from './text-completions.js';

/** Every dialect in which clients may ask for completions. */
export const dialects = {
  chatCompletions,
  textCompletions,
  responses,
  messages,
  ollamaChat,
  ollamaGenerate,
  grpcChat,
} as const;
