import { useEffect, useState } from 'preact/hooks';

/** A number that changes with the theme of the page. A canvas does not follow its colours by itself. */
export function useAppearance(): number {
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const change = (): void => setTurn((before) => before + 1);
    const observer = new MutationObserver(change);
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    const media = matchMedia('(prefers-color-scheme: dark)');
    media.addEventListener('change', change);
    return () => {
      observer.disconnect();
      media.removeEventListener('change', change);
    };
  }, []);
  return turn;
}
