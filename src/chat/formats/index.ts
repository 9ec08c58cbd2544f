import type { ChatFormat } from '../chat-format.js';
import { alpaca } from './alpaca.js';
import { chatml } from './chatml.js';
import { gemma } from './gemma.js';
import { llama2 } from './llama2.js';
import { llama3 } from './llama3.js';
import { mistral } from './mistral.js';
import { phi3 } from './phi3.js';
import { vicuna } from './vicuna.js';
import { zephyr } from './zephyr.js';

/** Every chat format by the name that chooses it. */
export const formats = {
  chatml,
  llama2,
  llama3,
  mistral,
  gemma,
  phi3,
  zephyr,
  alpaca,
  vicuna,
} as const satisfies Record<string, ChatFormat>;
