// Evaluated first: the page of most addresses is being loaded while the rest is still parsed.
if (location.pathname === '/') void import('./pages/machine/MachinePage.tsx')
