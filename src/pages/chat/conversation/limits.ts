/** Limits of the browser's storage. Each has a name because messages mention it. */
export const LIMITS = {
  /** The most conversations, a number that people can still look through. The oldest is removed first. */
  conversations: 1_000,
  /** Turns of one conversation, including its branches. */
  turns: 5_000,
  /** Characters of one turn: several times the longest context of supported models. */
  turnChars: 4_000_000,
  /** Characters of all turns of a conversation. */
  conversationChars: 16_000_000,
  /** Characters of a title; longer ones are cut. */
  titleChars: 120,
  /** Characters of the name of a model or a tool. */
  nameChars: 512,
  /** Tool calls of one answer, the same limit as in the engine. */
  toolCalls: 128,
  /** Bytes of a file that is imported. */
  importBytes: 64 * 1024 * 1024,
} as const;
