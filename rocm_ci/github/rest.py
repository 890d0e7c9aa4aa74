"""`GitHub` over HTTP: the sum of its parts, one per Protocol of `port`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.github.rest_conversation import RestConversation
from rocm_ci.github.rest_people import RestPeople
from rocm_ci.github.rest_reviews import RestReviews
from rocm_ci.github.rest_runs import RestRuns
from rocm_ci.github.rest_verdicts import RestVerdicts

if TYPE_CHECKING:
    from collections.abc import Mapping


class RestClient(RestConversation, RestVerdicts, RestRuns, RestReviews, RestPeople):
    """`port.GitHub` over the REST API, and over GraphQL where there is no other way."""

    @property
    def requests_sent(self) -> int:
        """How many requests went out, repetitions included."""
        return self._transport.requests_sent

    @property
    def requests_by_kind(self) -> Mapping[str, int]:
        """The same, by verb and address; what left for the store of artifacts is `GET file`."""
        return self._transport.by_kind

    def spent(self) -> str:
        """What was asked of GitHub, for the log: `3 requests to GitHub (2 GET pulls/N, 1 POST graphql)`."""
        kinds = sorted(self.requests_by_kind.items(), key=lambda entry: -entry[1])
        listed = ", ".join(f"{count} {kind}" for kind, count in kinds)
        return f"{self.requests_sent} requests to GitHub" + (f" ({listed})" if listed else "")
