import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { keepText, readKept, readTheme, type TextStorage, type Theme } from '../../data/index.js';
import { useMedia } from '../page/use-store.js';
import { Icon } from '../views/icon.js';

/** Applies a theme to the page. */
export function showTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
}

/** Whether the page is dark, by its theme or the system's. */
export function useIsDark(theme: Theme): boolean {
  const isSystemDark = useMedia('(prefers-color-scheme: dark)');
  return theme === 'system' ? isSystemDark : theme === 'dark';
}

/** Switches between light and dark, and stores the choice. */
export function ThemeButton(props: { readonly storage: TextStorage | undefined; readonly storageKey: string }): VNode {
  const { storage, storageKey } = props;
  const [theme, setTheme] = useState(() => readTheme(readKept(storage, storageKey)));
  useEffect(() => {
    showTheme(theme);
    keepText(storage, storageKey, theme === 'system' ? undefined : theme);
  }, [theme]);
  return <AppearanceButton isDark={useIsDark(theme)} onChange={setTheme} />;
}

/** The button itself. */
export function AppearanceButton(props: {
  readonly isDark: boolean;
  readonly onChange: (theme: Theme) => void;
}): VNode {
  const { isDark, onChange } = props;
  return (
    <button
      type="button"
      class="tool"
      aria-label={isDark ? 'Light appearance' : 'Dark appearance'}
      title={isDark ? 'Light' : 'Dark'}
      onClick={() => onChange(isDark ? 'light' : 'dark')}
    >
      <Icon name={isDark ? 'sun' : 'moon'} />
    </button>
  );
}
