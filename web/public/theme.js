// Runs before the first paint, so that a reader who chose a theme never sees the other one flash by.
try {
  const theme = localStorage.getItem('nearmiss-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage is switched off: the page follows the system.
}
