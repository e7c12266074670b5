import type { AuditorBus } from '@kiroku/auditor'
import { answerQuestions, askQuestion } from '@kiroku/nats'
import type { Nats } from '../serve/describeCluster.ts'

/** The way to the auditor of a log over NATS. */
export const auditorBus = (nats: Nats, log: string): AuditorBus => {
  const questions = `kiroku.audit.${log}.ask`
  const beats = `kiroku.audit.${log}.beat`
  return {
    ask: (question, timeoutMs, signal) => askQuestion(nats, questions, question, timeoutMs, signal),
    answer: (answer) => answerQuestions(nats, questions, answer),
    tell: (news) => {
      if (!nats.isClosed()) nats.publish(beats, news)
    },
    hear: (listener) => {
      const subscription = nats.subscribe(beats, {
        callback: (error, message) => {
          if (error === null) listener(message.string())
        },
      })
      return () => {
        if (!nats.isClosed()) subscription.unsubscribe()
      }
    },
  }
}
