import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { ApiError } from './data/api.ts'
import { sharedSearch, type SharedSearch } from './data/moment.ts'
import { Empty } from './parts/Empty.tsx'
import { Problem } from './parts/Problem.tsx'
import { SendingProvider } from './send/Sending.tsx'
import { Announcer } from './shell/Announcer.tsx'
import { Gate } from './shell/Gate.tsx'
import { Shell } from './shell/Shell.tsx'

const root = createRootRoute({
  validateSearch: (search): SharedSearch => sharedSearch(search),
  component: () => (
    <Announcer>
      <Gate>
        <SendingProvider>
          <Shell />
        </SendingProvider>
      </Gate>
    </Announcer>
  ),
  notFoundComponent: () => (
    <Empty title="There is no such page">
      <a href="/">To the machine</a>
    </Empty>
  ),
})

/** What a page's URL holds besides the queue and the moment; all of it is text. */
type PageSearch = Readonly<Record<string, string | undefined>>

const pageSearch = (search: Record<string, unknown>): PageSearch =>
  Object.fromEntries(
    Object.entries(search)
      .filter(
        ([, value]) => typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean',
      )
      .map(([name, value]) => [name, String(value)]),
  )

const page = (path: string, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => root, path, validateSearch: pageSearch, component })

const tree = root.addChildren([
  page(
    '/',
    lazyRouteComponent(() => import('./pages/machine/MachinePage.tsx'), 'MachinePage'),
  ),
  page(
    '/messages',
    lazyRouteComponent(() => import('./pages/messages/MessagesPage.tsx'), 'MessagesPage'),
  ),
  page(
    '/messages/$id',
    lazyRouteComponent(() => import('./pages/message/MessagePage.tsx'), 'MessagePage'),
  ),
  page(
    '/queues',
    lazyRouteComponent(() => import('./pages/queues/QueuesPage.tsx'), 'QueuesPage'),
  ),
  page(
    '/dlq',
    lazyRouteComponent(() => import('./pages/dlq/DlqPage.tsx'), 'DlqPage'),
  ),
  page(
    '/time',
    lazyRouteComponent(() => import('./pages/time/TimePage.tsx'), 'TimePage'),
  ),
  page(
    '/cluster',
    lazyRouteComponent(() => import('./pages/cluster/ClusterPage.tsx'), 'ClusterPage'),
  ),
  page(
    '/audit',
    lazyRouteComponent(() => import('./pages/audit/AuditPage.tsx'), 'AuditPage'),
  ),
])

/** The pages by their URLs. */
export const router = createRouter({
  routeTree: tree,
  defaultPreload: 'intent',
  scrollRestoration: true,
  // Values stay as they are written: `?at=3/1234` and not JSON.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
    return given.length === 0
      ? ''
      : `?${new URLSearchParams(given.map(([k, v]) => [k, String(v)])).toString()}`
  },
  defaultErrorComponent: ({ error, reset }) => (
    <div className="page">
      <Problem
        error={
          error instanceof ApiError
            ? error
            : new ApiError(
                'Internal',
                error instanceof Error ? error.message : String(error),
                'Load the page again.',
                false,
                0,
              )
        }
        retry={reset}
      />
    </div>
  ),
})
