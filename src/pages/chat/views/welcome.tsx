import type { VNode } from 'preact';

/** First questions, which every model can do something with. */
const QUESTIONS: readonly string[] = ['What is the capital of Norway?', 'Tell me a story.', 'What is 12 + 30?'];

/** The view before the first message. */
export function Welcome({ onAsk }: { readonly onAsk: (text: string) => void }): VNode {
  return (
    <section class="welcome">
      <h1>What would you like to know?</h1>
      <p>Answers come from the model on this server. Conversations stay in this browser.</p>
      <ul>
        {QUESTIONS.map((text) => (
          <li key={text}>
            <button type="button" class="chip" onClick={() => onAsk(text)}>
              {text}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
