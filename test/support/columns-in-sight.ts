import type { Page } from 'playwright-core';

/** The names of the columns that are whole within what is seen of a table. */
export async function columnsInSight(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(`(() => {
    const { left, right } = document.querySelector('.table-scroll').getBoundingClientRect();
    return [...document.querySelectorAll('.data-table thead th')]
      .filter((head) => {
        const box = head.getBoundingClientRect();
        return box.left >= left - 1 && box.right <= right + 1;
      })
      .map((head) => head.textContent);
  })()`);
}
