// Evaluated first of all: the page that most addresses ask for is on its way while the rest is still being read.
if (location.pathname === '/') void import('./pages/machine/MachinePage.tsx')
