import type { World } from '../world/World.ts'
import { ClientConsumer } from './ClientConsumer.ts'
import { ClientProducer } from './ClientProducer.ts'
import { Consumer } from './Consumer.ts'
import { Fumbler } from './Fumbler.ts'
import type { Person } from './Person.ts'
import { Producer } from './Producer.ts'
import { Reader } from './Reader.ts'

/** Everybody that the plan names. */
export const people = (world: World): { producers: Person[]; consumers: Person[] } => {
  const producers: Person[] = []
  const consumers: Person[] = []
  for (const actor of world.plan.actors) {
    const { role, queue, index } = actor
    const name = `${role}-${index}`
    switch (role) {
      case 'producer':
        producers.push(sending(world, new Producer(world, queue, name)))
        break
      case 'clientProducer':
        producers.push(sending(world, new ClientProducer(world, queue, name)))
        break
      case 'consumer':
      case 'lateConsumer':
        consumers.push(new Consumer(world, actor, name))
        break
      case 'clientConsumer':
        consumers.push(new ClientConsumer(world, queue, name))
        break
      case 'reader':
        producers.push(new Reader(world, name))
        break
      case 'fumbler':
        producers.push(new Fumbler(world, name))
    }
  }
  world.consumers.push(...consumers)
  return { producers, consumers }
}

/** The same, counted until it has sent all. */
const sending = (world: World, person: Person): Person => {
  world.producersLeft++
  return {
    party: person.party,
    run: () => person.run().finally(() => world.producersLeft--),
  }
}
