"""Who may do what, as requests: `port.People`."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from rocm_ci.github import answers
from rocm_ci.github.rest_base import RestBase, read

if TYPE_CHECKING:
    from rocm_ci.github.port import Permission


class RestPeople(RestBase):
    """Accounts, and the repository they stand before."""

    def permission(self, repository: str, login: str) -> Permission:
        """What an account may do; `none` for one that GitHub does not know.

        `permission` folds the finer roles: maintain is write, triage is read
        (https://docs.github.com/rest/collaborators/collaborators#get-repository-permissions-for-a-user).
        """
        path = f"/repos/{repository}/collaborators/{quote(login, safe='')}/permission"
        _, data = self._transport.ask("GET", path, task="ask for a permission", fine=(404,))
        if data is None:
            return "none"
        return read(data, answers.PermissionOf, "a permission").permission

    def default_branch(self, repository: str) -> str:
        """The branch that workflows for comments and dispatches run from."""
        _, data = self._transport.ask("GET", f"/repos/{repository}", task="read the repository")
        return read(data, answers.WholeRepository, "a repository").default_branch
