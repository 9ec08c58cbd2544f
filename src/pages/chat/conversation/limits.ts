/** Limits of the browser's storage. They have names because a message states each. */
export const LIMITS = {
  /** A list that people can still look through; the oldest makes room. */
  conversations: 1_000,
  /** Turns of one conversation, its branches included. */
  turns: 5_000,
  /** Characters of one turn: several times the longest context of the models that run here. */
  turnChars: 4_000_000,
  /** Characters of all turns of a conversation. */
  conversationChars: 16_000_000,
  /** Characters of a title; longer ones are cut. */
  titleChars: 120,
  /** Characters of a name, of a model or a tool. */
  nameChars: 512,
  /** Tool calls of one answer, as the engine has them. */
  toolCalls: 128,
  /** Bytes of a file that is imported. */
  importBytes: 64 * 1024 * 1024,
} as const;
