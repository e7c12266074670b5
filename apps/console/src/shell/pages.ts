import { isRestricted, type Roles } from '../data/roleOf.ts'

/** A page of the console, as it is named everywhere. */
export interface PageLink {
  readonly to: '/' | '/messages' | '/queues' | '/dlq' | '/time' | '/cluster' | '/audit'
  readonly name: string
  /** Pressed after `g`. */
  readonly key: string
  /** A path in a box of 20 × 20. */
  readonly icon: string
  /** Whether it shows what cannot be divided by queues. */
  readonly isOfAll?: true
}

/** The pages in their order. */
const pages: readonly PageLink[] = [
  {
    to: '/',
    name: 'Machine',
    key: 'm',
    icon: 'M3 6h5v4H3zM12 3h5v4h-5zM12 13h5v4h-5zM8 8h2m0 0V5h2M10 8v7h2',
  },
  { to: '/messages', name: 'Messages', key: 's', icon: 'M3 5h14v10H3zM3 6l7 5 7-5' },
  { to: '/queues', name: 'Queues', key: 'q', icon: 'M3 5h14M3 10h14M3 15h9' },
  { to: '/dlq', name: 'Dead letters', key: 'd', icon: 'M7 3h6l4 4v6l-4 4H7l-4-4V7zM10 7v4M10 13.5v.2' },
  { to: '/time', name: 'Time travel', key: 't', icon: 'M10 3a7 7 0 1 1-6.3 4M3 3.5V7h3.6M10 6.5V10l2.6 2' },
  {
    to: '/cluster',
    name: 'Cluster',
    key: 'c',
    icon: 'M3 3h6v6H3zM11 3h6v6h-6zM3 11h6v6H3zM11 11h6v6h-6z',
    isOfAll: true,
  },
  { to: '/audit', name: 'Audit', key: 'a', icon: 'M5 2.5h10v15H5zM8 6.5h4M8 9.5h4M8 12.5h2.5' },
]

/** The pages that somebody may see. */
export const pagesFor = (session: Roles): readonly PageLink[] =>
  pages.filter(({ isOfAll }) => isOfAll !== true || !isRestricted(session))
