"""`GitHub` over HTTP: the sum of its parts, one per Protocol of `port`."""

from __future__ import annotations

from rocm_ci.github.rest_conversation import RestConversation
from rocm_ci.github.rest_people import RestPeople
from rocm_ci.github.rest_reviews import RestReviews
from rocm_ci.github.rest_runs import RestRuns
from rocm_ci.github.rest_verdicts import RestVerdicts

DEFAULT_URL = "https://api.github.com"


class RestClient(RestConversation, RestVerdicts, RestRuns, RestReviews, RestPeople):
    """`port.GitHub` over the REST API, and over GraphQL where there is no other way."""

    @property
    def requests_sent(self) -> int:
        """How many requests went out, repetitions included."""
        return self._transport.requests_sent
